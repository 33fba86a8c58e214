"""The nouns: frozen, slotted, typed values that every stage shares."""
