"""The C functions that give memory: an arena that is taken from in order, and arrays that grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

MEMORY = """
/* Memory that is taken in order and given back in the reverse order. */
typedef struct gp_chunk {
    struct gp_chunk *before;
    size_t start, size;
} gp_chunk;

typedef struct {
    gp_chunk *chunk, *spare;
    size_t used;
} gp_memory;

static void *gp_take(gp_memory *memory, size_t element, int64_t count) {
    const size_t wanted = ((size_t)(count > 0 ? count : 1) * element + 15) / 16 * 16;
    if (count > 0 && (uint64_t)count > SIZE_MAX / 2 / element) return NULL;
    if (!memory->chunk || memory->used + wanted > memory->chunk->start + memory->chunk->size) {
        gp_chunk *chunk = memory->spare;
        if (chunk && chunk->size >= wanted) {
            memory->spare = NULL;
        } else {
            const size_t least = memory->used < 65536 ? 65536 : memory->used < 16777216 ? memory->used : 16777216;
            const size_t size = wanted > least ? wanted : least;
            chunk = malloc(sizeof(gp_chunk) + 16 + size);
            if (!chunk) return NULL;
            chunk->size = size;
        }
        chunk->before = memory->chunk;
        chunk->start = memory->used;
        memory->chunk = chunk;
    }
    unsigned char *data = (unsigned char *)memory->chunk + (sizeof(gp_chunk) + 15) / 16 * 16;
    void *found = data + (memory->used - memory->chunk->start);
    memory->used += wanted;
    return found;
}

static void gp_release_all(gp_memory *memory) {
    free(memory->spare);
    while (memory->chunk) {
        gp_chunk *before = memory->chunk->before;
        free(memory->chunk);
        memory->chunk = before;
    }
}
"""
MARKS = """
static inline size_t gp_mark(const gp_memory *memory) {
    return memory->used;
}

/* Of the chunks that end, the largest one is kept for the next round. */
static inline void gp_release(gp_memory *memory, size_t mark) {
    while (memory->chunk && memory->chunk->start >= mark && memory->chunk->before) {
        gp_chunk *chunk = memory->chunk;
        memory->chunk = chunk->before;
        if (!memory->spare || memory->spare->size < chunk->size) {
            free(memory->spare);
            memory->spare = chunk;
        } else {
            free(chunk);
        }
    }
    memory->used = mark;
}
"""
PAGES = """
/* Large memory has large pages, where there are such, as NumPy's: a page costs time when it is first written to. */
#ifdef __linux__
extern int madvise(void *start, size_t size, int advice);
#endif

static void gp_pages(void *memory, size_t size) {
#ifdef __linux__
    const size_t ahead = 4096 - (uintptr_t)memory % 4096;
    if (size >= 4194304) (void)madvise((unsigned char *)memory + ahead, size - ahead, 14 /* MADV_HUGEPAGE */);
#else
    (void)memory, (void)size;
#endif
}
"""

KEPT = """
/* The bytes that the last call has taken, for which the next one asks at once: what many pieces have been is given back
to the system when they are freed, and each page of it costs time when it comes again.  Any number that another thread
has written will do. */
static volatile size_t gp_usual;
#define GP_MOST_AT_ONCE 33554432 /* C's library gives larger pieces back in any case */

static size_t gp_first_size(void) {
    const size_t usual = gp_usual;
    return usual < 65536 ? 65536 : usual < GP_MOST_AT_ONCE ? usual : GP_MOST_AT_ONCE;
}
"""

BLOCKS = """
/* An array that grows. */
typedef struct {
    void *data;
    size_t size;
} gp_block;

static void *gp_room(gp_block *block, size_t element, int64_t count) {
    if (count > 0 && (uint64_t)count > SIZE_MAX / 2 / element) return NULL;
    const size_t wanted = (size_t)(count > 0 ? count : 1) * element;
    if (block->size < wanted || !block->data) {
        const size_t size = wanted > block->size * 2 ? wanted : block->size * 2;
        void *data = realloc(block->data, size);
        if (!data) return NULL;
        block->data = data;
        block->size = size;
    }
    return block->data;
}
"""


IN_PROCESS = {
    "if (!chunk) return NULL;\n": "if (!chunk) return NULL;\n            gp_pages(chunk, size);\n",
    "memory->used < 65536 ? 65536 :": "!memory->used ? gp_first_size() : memory->used < 65536 ? 65536 :",
    "    size_t used;\n} gp_memory;": "    size_t used, most;\n} gp_memory;",
    "    memory->used += wanted;\n": (
        "    memory->used += wanted;\n    if (memory->used > memory->most) memory->most = memory->used;\n"
    ),
    "    free(memory->spare);\n    while": "    gp_usual = memory->most;\n    free(memory->spare);\n    while",
}
"""How memory differs for code in this process, which is called again and again."""


def memory(in_process: bool, lines: Iterable[str]) -> str:
    """The functions that give memory, to a file of its own or to code in this process, as far as lines call them."""
    text = PAGES + KEPT + _with(MEMORY, IN_PROCESS) if in_process else MEMORY
    return text + MARKS if any("gp_mark(" in line for line in lines) else text


def _with(text: str, changes: Mapping[str, str]) -> str:
    """A text with other words in some places, each of which is there."""
    for before, behind in changes.items():
        if before not in text:
            raise ValueError(f"the text has no {before!r}")
        text = text.replace(before, behind)
    return text


__all__ = ["BLOCKS", "MEMORY", "memory"]
