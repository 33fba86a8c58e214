/* A stand-in for the driver's management library, at its real boundary: compiled as libnvidia-ml.so.1 and loaded by
 * nvidia-ml-py itself. What it answers stands in the file that NVML_SCENARIO names, a key and a value a line:
 *
 *     driver 535.129.03          cuda 12020          count 2
 *     0.name NVIDIA H100         0.memory.total 85899345920
 *     0.process 4711 34359738368                    (several)
 *     error.nvmlInitWithFlags 9                     a status that a call gives, for all GPUs
 *     0.error.nvmlDeviceGetTemperature 15           the same for one
 *     0.sleep.nvmlDeviceGetTemperature 60           seconds that a call takes
 *
 * A value that is not listed is NVML_ERROR_NOT_SUPPORTED. Built with -DOLD, the functions of newer drivers are absent.
 * Names, structures and numbers: https://docs.nvidia.com/deploy/nvml-api/
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Status;
typedef struct { int number; int slice; } *Device;
enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

#define MOST 4096
static char keys[MOST][96], values[MOST][160];
static int lines = -1;
static struct { int number; int slice; } devices[64][8];

static void load(void) {
    if (lines >= 0) return;
    lines = 0;
    const char *path = getenv("NVML_SCENARIO");
    FILE *file = path ? fopen(path, "r") : NULL;
    while (file && lines < MOST && fscanf(file, " %95s %159[^\n]", keys[lines], values[lines]) == 2) lines++;
    if (file) fclose(file);
}

static const char *get(const char *key) {
    load();
    for (int i = 0; i < lines; i++) if (!strcmp(keys[i], key)) return values[i];
    return NULL;
}

static const char *of(Device device, const char *field) {
    char key[128];
    if (device->slice >= 0) snprintf(key, sizeof key, "%d.mig%d.%s", device->number, device->slice, field);
    else snprintf(key, sizeof key, "%d.%s", device->number, field);
    return get(key);
}

static Status before(Device device, const char *function) {
    char key[128];
    const char *found;
    snprintf(key, sizeof key, "sleep.%s", function);
    if ((found = device ? of(device, key) : NULL) || (found = get(key))) sleep(atoi(found));
    if (device && (found = of(device, "lost"))) return 15;
    snprintf(key, sizeof key, "error.%s", function);
    if ((found = device ? of(device, key) : NULL) || (found = get(key))) return atoi(found);
    return SUCCESS;
}

#define BEGIN(device) do { Status status = before(device, __func__); if (status) return status; } while (0)
#define TEXT(device, field, to, size) do { const char *v = (device) ? of(device, field) : get(field); \
    if (!v) return NOT_SUPPORTED; snprintf(to, size, "%s", v); return SUCCESS; } while (0)
#define NUMBER(device, field, to) do { const char *v = of(device, field); \
    if (!v) return NOT_SUPPORTED; *(to) = strtoull(v, NULL, 0); return SUCCESS; } while (0)

Status nvmlInitWithFlags(unsigned flags) { BEGIN(NULL); return SUCCESS; }
Status nvmlInit_v2(void) { BEGIN(NULL); return SUCCESS; }
Status nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(Status status) { return "an error of the stand-in"; }
Status nvmlSystemGetDriverVersion(char *to, unsigned size) { BEGIN(NULL); TEXT(NULL, "driver", to, size); }
Status nvmlSystemGetCudaDriverVersion_v2(int *to) {
    BEGIN(NULL);
    const char *v = get("cuda");
    if (!v) return NOT_SUPPORTED;
    *to = atoi(v);
    return SUCCESS;
}
Status nvmlDeviceGetCount_v2(unsigned *to) { BEGIN(NULL); const char *v = get("count"); *to = v ? atoi(v) : 0; return SUCCESS; }
Status nvmlDeviceGetHandleByIndex_v2(unsigned number, Device *to) {
    BEGIN(NULL);
    if (number >= 64) return INVALID_ARGUMENT;
    devices[number][0].number = number;
    devices[number][0].slice = -1;
    *to = (Device)&devices[number][0];
    const char *v = of(*to, "handle");
    return v ? atoi(v) : SUCCESS;
}

Status nvmlDeviceGetName(Device d, char *to, unsigned size) { BEGIN(d); TEXT(d, "name", to, size); }
Status nvmlDeviceGetUUID(Device d, char *to, unsigned size) { BEGIN(d); TEXT(d, "uuid", to, size); }
Status nvmlDeviceGetSerial(Device d, char *to, unsigned size) { BEGIN(d); TEXT(d, "serial", to, size); }
Status nvmlDeviceGetPciInfo_v3(Device d, struct {
    char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } *to) {
    BEGIN(d);
    memset(to, 0, sizeof *to);
    TEXT(d, "pci", to->bus_id, sizeof to->bus_id);
}
Status nvmlDeviceGetCudaComputeCapability(Device d, int *major, int *minor) {
    BEGIN(d);
    const char *v = of(d, "capability");
    return v && sscanf(v, "%d.%d", major, minor) == 2 ? SUCCESS : NOT_SUPPORTED;
}

static Status memory(Device d, unsigned long long *total, unsigned long long *free_, unsigned long long *used,
                     unsigned long long *reserved) {
    const char *t = of(d, "memory.total"), *u = of(d, "memory.used"), *r = of(d, "memory.reserved");
    if (!t) return NOT_SUPPORTED;
    *total = strtoull(t, NULL, 0);
    *used = u ? strtoull(u, NULL, 0) : 0;
    *reserved = r ? strtoull(r, NULL, 0) : 0;
    *free_ = *total - *used - *reserved;
    return SUCCESS;
}
Status nvmlDeviceGetMemoryInfo(Device d, struct { unsigned long long total, free, used; } *to) {
    BEGIN(d);
    unsigned long long reserved;
    Status status = memory(d, &to->total, &to->free, &to->used, &reserved);
    to->used += reserved;
    return status;
}
#ifndef OLD
Status nvmlDeviceGetMemoryInfo_v2(Device d, struct { unsigned version; unsigned long long total, reserved, free, used; } *to) {
    BEGIN(d);
    return memory(d, &to->total, &to->free, &to->used, &to->reserved);
}
#endif
Status nvmlDeviceGetUtilizationRates(Device d, struct { unsigned gpu, memory; } *to) {
    BEGIN(d);
    to->memory = 0;
    NUMBER(d, "utilisation", &to->gpu);
}
#ifdef OLD
Status nvmlDeviceGetCurrentClocksThrottleReasons(Device d, unsigned long long *to) { BEGIN(d); NUMBER(d, "throttle", to); }
#else
Status nvmlDeviceGetCurrentClocksEventReasons(Device d, unsigned long long *to) { BEGIN(d); NUMBER(d, "throttle", to); }
#endif
Status nvmlDeviceGetTemperature(Device d, int sensor, unsigned *to) { BEGIN(d); NUMBER(d, "temperature", to); }
Status nvmlDeviceGetPowerUsage(Device d, unsigned *to) { BEGIN(d); NUMBER(d, "power", to); }
Status nvmlDeviceGetTotalEccErrors(Device d, int type, int counter, unsigned long long *to) {
    BEGIN(d);
    NUMBER(d, "ecc.uncorrected", to);
}
Status nvmlDeviceGetRetiredPagesPendingStatus(Device d, unsigned *to) { BEGIN(d); NUMBER(d, "retired.pending", to); }
Status nvmlDeviceGetRemappedRows(Device d, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed) {
    BEGIN(d);
    const char *v = of(d, "rows");
    return v && sscanf(v, "%u %u %u %u", corrected, uncorrected, pending, failed) == 4 ? SUCCESS : NOT_SUPPORTED;
}
Status nvmlDeviceGetNvLinkState(Device d, unsigned link, unsigned *to) {
    BEGIN(d);
    char field[32];
    snprintf(field, sizeof field, "nvlink%u", link);
    NUMBER(d, field, to);
}
Status nvmlDeviceGetCurrPcieLinkWidth(Device d, unsigned *to) { BEGIN(d); NUMBER(d, "pcie.width", to); }
Status nvmlDeviceGetMaxPcieLinkWidth(Device d, unsigned *to) { BEGIN(d); NUMBER(d, "pcie.width.max", to); }
Status nvmlDeviceGetComputeMode(Device d, int *to) { BEGIN(d); NUMBER(d, "compute_mode", to); }
Status nvmlDeviceGetMigMode(Device d, unsigned *now, unsigned *later) { BEGIN(d); *later = 0; NUMBER(d, "mig", now); }
Status nvmlDeviceGetMaxMigDeviceCount(Device d, unsigned *to) { BEGIN(d); *to = 7; return SUCCESS; }
Status nvmlDeviceGetMigDeviceHandleByIndex(Device d, unsigned slot, Device *to) {
    BEGIN(d);
    if (slot >= 7) return INVALID_ARGUMENT;
    devices[d->number][slot + 1].number = d->number;
    devices[d->number][slot + 1].slice = slot;
    *to = (Device)&devices[d->number][slot + 1];
    return of(*to, "memory.total") ? SUCCESS : NOT_FOUND;
}

typedef struct { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; } Process;
static Status processes(Device d, const char *field, unsigned *count, Process *to) {
    char key[128];
    unsigned have = 0;
    load();
    if (d->slice >= 0) snprintf(key, sizeof key, "%d.mig%d.%s", d->number, d->slice, field);
    else snprintf(key, sizeof key, "%d.%s", d->number, field);
    for (int i = 0; i < lines; i++) {
        if (strcmp(keys[i], key)) continue;
        if (to && have < *count) sscanf(values[i], "%u %llu", &to[have].pid, &to[have].memory);
        have++;
    }
    Status status = have > (to ? *count : 0) ? INSUFFICIENT_SIZE : SUCCESS;
    *count = have;
    return status;
}
#ifdef OLD
Status nvmlDeviceGetComputeRunningProcesses_v2(Device d, unsigned *count, Process *to) { BEGIN(d); return processes(d, "process", count, to); }
#else
Status nvmlDeviceGetComputeRunningProcesses_v3(Device d, unsigned *count, Process *to) { BEGIN(d); return processes(d, "process", count, to); }
Status nvmlDeviceGetGraphicsRunningProcesses_v3(Device d, unsigned *count, Process *to) { BEGIN(d); return processes(d, "graphics", count, to); }
Status nvmlDeviceGetMPSComputeRunningProcesses_v3(Device d, unsigned *count, Process *to) { BEGIN(d); return processes(d, "mps", count, to); }
#endif
