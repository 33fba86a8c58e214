/* A stand-in for the CUDA driver API, compiled as libcuda.so.1. CUDA_STATUS is what cuInit gives, CUDA_HANG makes it
 * hang, CUDA_CRASH crash; CUDA_COUNT is the number of devices. https://docs.nvidia.com/cuda/cuda-driver-api/ */
#include <stdlib.h>
#include <unistd.h>

static int number(const char *name, int otherwise) { const char *v = getenv(name); return v ? atoi(v) : otherwise; }
int cuInit(unsigned flags) {
    if (getenv("CUDA_CRASH")) *(volatile int *)8 = 1;
    if (getenv("CUDA_HANG")) sleep(1000);
    return number("CUDA_STATUS", 0);
}
int cuGetErrorName(int status, const char **name) {
    *name = status == 100 ? "CUDA_ERROR_NO_DEVICE" : status == 999 ? "CUDA_ERROR_UNKNOWN" : "CUDA_SUCCESS";
    return 0;
}
int cuDriverGetVersion(int *to) { *to = 12040; return 0; }
int cuDeviceGetCount(int *to) { *to = number("CUDA_COUNT", 1); return 0; }
