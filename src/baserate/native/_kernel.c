/* Rows to counts, compiled: the loops that numpy has no single call for.
 *
 * Everything here is also done by numpy in baserate.curves, which is what runs where this is not built and what it is
 * tested against. Arrays come in by the buffer protocol and are checked; Python gives out all memory that lasts; the
 * GIL is released while loops run, so that Python threads can share the work. Nothing is kept between calls.
 *
 * Sorting is left to numpy, which has it for each processor.
 */

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays that come in ------------------------------------------------------------------------------------- */

enum { READ = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT, WRITE = READ | PyBUF_WRITABLE };

/* The letter of an array's type in the machine's own byte order, or 0. */
static char letter(const Py_buffer *array)
{
    const char *format = array->format ? array->format : "B";
    return format[0] && !format[1] ? format[0] : 0;
}

/* Take an array whose type is one of `letters`; raise and return 0 if it is something else. */
static int take(PyObject *object, Py_buffer *array, int flags, const char *letters)
{
    if (PyObject_GetBuffer(object, array, flags) < 0)
        return 0;
    char found = letter(array);
    if (found && strchr(letters, found))
        return 1;
    PyErr_Format(PyExc_TypeError, "an array of type %s is needed, got %s", letters,
                 array->format ? array->format : "bytes");
    PyBuffer_Release(array);
    return 0;
}

static Py_ssize_t length(const Py_buffer *array)
{
    return array->len / array->itemsize;
}

/* Whether there are so many items of so many bytes. */
static int fits(const Py_buffer *array, Py_ssize_t size, Py_ssize_t n)
{
    return array->itemsize == size && length(array) == n;
}

static void release(Py_buffer *arrays, int n)
{
    while (n--)
        PyBuffer_Release(&arrays[n]);
}

/* Take several arrays or none: `flags` and `letters` say of each what it must be. */
static int take_all(PyObject *const *objects, Py_buffer *arrays, int n, const int *flags, const char *const *letters)
{
    for (int k = 0; k < n; k++)
        if (!take(objects[k], &arrays[k], flags[k], letters[k])) {
            release(arrays, k);
            return 0;
        }
    return 1;
}

static PyObject *refused(const char *why)
{
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

static const char SCORES[] = "fd", LABELS[] = "?bBhHiIlLqQ", FLOATS[] = "d", WHOLE[] = "lq", COUNTS[] = "IL";

/* ---- rows, a block at a time --------------------------------------------------------------------------------- */

enum { BLOCK = 1024 };

/* What was seen among labels and scores. Rows may have zeros or minus ones beside ones, not both, and nothing wrong. */
enum { ZEROS = 1, MINUS_ONES = 2, WRONG = 4 };

typedef struct {
    Py_ssize_t n;
    const double *score; /* as they are, or here below; -0.0 as 0.0, because they are one score */
    double changed[BLOCK];
    uint8_t positive[BLOCK];
} Block;

/* Zeros and ones by a loop that every compiler makes quick; the other one only if there is something else. */
#define READ_LABELS(type, is_minus_one)                                                                                \
    {                                                                                                                  \
        const type *label = (const type *)labels->buf + start;                                                        \
        type any = 0, all = 1;                                                                                         \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                           \
            any |= label[i];                                                                                           \
            all &= label[i];                                                                                           \
            positive[i] = (uint8_t)label[i];                                                                           \
        }                                                                                                              \
        if (any == 0 || any == 1)                                                                                      \
            return all ? 0 : ZEROS;                                                                                    \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                           \
            positive[i] = label[i] == 1;                                                                               \
            seen |= label[i] == 1 ? 0 : label[i] == 0 ? ZEROS : (is_minus_one) ? MINUS_ONES : WRONG;                   \
        }                                                                                                              \
        return seen;                                                                                                   \
    }

static int read_labels(const Py_buffer *labels, Py_ssize_t start, Py_ssize_t n, uint8_t *positive)
{
    int seen = 0, is_signed = strchr("bhilq", letter(labels)) != NULL;
    switch (labels->itemsize * 2 + is_signed) {
    case 2: READ_LABELS(uint8_t, 0)
    case 3: READ_LABELS(int8_t, label[i] == -1)
    case 4: READ_LABELS(uint16_t, 0)
    case 5: READ_LABELS(int16_t, label[i] == -1)
    case 8: READ_LABELS(uint32_t, 0)
    case 9: READ_LABELS(int32_t, label[i] == -1)
    case 16: READ_LABELS(uint64_t, 0)
    case 17: READ_LABELS(int64_t, label[i] == -1)
    default: return WRONG;
    }
}

static int any_nan(const double *score, Py_ssize_t n)
{
    int found = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        found |= score[i] != score[i];
    return found;
}

static int any_zero(const double *score, Py_ssize_t n)
{
    int found = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        found |= score[i] == 0;
    return found;
}

static int read_scores(const Py_buffer *scores, Py_ssize_t start, Block *block)
{
    if (letter(scores) == 'd') {
        block->score = (const double *)scores->buf + start;
        if (any_zero(block->score, block->n)) {
            for (Py_ssize_t i = 0; i < block->n; i++)
                block->changed[i] = block->score[i] + 0.0;
            block->score = block->changed;
        }
    } else {
        const float *from = (const float *)scores->buf + start;
        for (Py_ssize_t i = 0; i < block->n; i++)
            block->changed[i] = (double)from[i] + 0.0;
        block->score = block->changed;
    }
    return any_nan(block->score, block->n) ? WRONG : 0;
}

/* Fill a block with the rows from `start` on, and say what was seen. */
static int read_block(const Py_buffer *scores, const Py_buffer *labels, Py_ssize_t start, Block *block)
{
    Py_ssize_t left = length(scores) - start;
    block->n = left < BLOCK ? left : BLOCK;
    return read_scores(scores, start, block) | read_labels(labels, start, block->n, block->positive);
}

/* ---- ones and split: the scores of each class ----------------------------------------------------------------- */

static Py_ssize_t ones_among(const uint8_t *positive, Py_ssize_t n)
{
    Py_ssize_t found = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        found += positive[i];
    return found;
}

static Py_ssize_t count_ones(const Py_buffer *labels, int *seen)
{
    Py_ssize_t n = length(labels), found = 0;
    uint8_t positive[BLOCK];
    for (Py_ssize_t start = 0; start < n && !(*seen & WRONG); start += BLOCK) {
        Py_ssize_t size = n - start < BLOCK ? n - start : BLOCK;
        *seen |= read_labels(labels, start, size, positive);
        found += ones_among(positive, size);
    }
    return found;
}

static PyObject *ones(PyObject *self, PyObject *object)
{
    (void)self;
    Py_buffer labels;
    int seen = 0;
    Py_ssize_t found;
    if (!take(object, &labels, READ, LABELS))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    found = count_ones(&labels, &seen);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&labels);
    return Py_BuildValue("ni", found, seen);
}

/* Where the next scores go: positives from the front of their room on, negatives from the back of theirs. Both may be
 * one room, which all rows fill exactly, however many are of a class. */
typedef struct {
    double *pos, *neg; /* the next positive, and what is behind the next negative */
    Py_ssize_t pos_left, neg_left;
} Rooms;

/* The scores of a block to their classes, without a branch, which would be taken by chance: what is written too much is
 * overwritten by the next one, and the last one needs room for one more, or has it where both share one room. */
static void split_evenly(const Block *block, double *pos, double *neg)
{
    Py_ssize_t at = 0;
    for (Py_ssize_t i = 0; i < block->n; i++) {
        pos[at] = neg[at - i - 1] = block->score[i];
        at += block->positive[i];
    }
}

/* The same where positives are few: runs of negatives are copied. */
static void split_runs(const Block *block, double *pos, double *neg)
{
    for (Py_ssize_t i = 0; i < block->n;) {
        const uint8_t *next = memchr(block->positive + i, 1, (size_t)(block->n - i));
        Py_ssize_t run = next ? next - (block->positive + i) : block->n - i;
        neg -= run;
        memcpy(neg, block->score + i, (size_t)run * sizeof *neg);
        if (next)
            *pos++ = block->score[i + run];
        i += run + 1;
    }
}

/* Write each score to its class. Labels may have changed since they were counted, so there is a check. */
static int split_rows(const Py_buffer *scores, const Py_buffer *labels, Rooms *rooms)
{
    Block block;
    int seen = 0;
    for (Py_ssize_t start = 0; start < length(scores); start += block.n) {
        seen |= read_block(scores, labels, start, &block);
        Py_ssize_t n_pos = ones_among(block.positive, block.n), n_neg = block.n - n_pos;
        if (seen & WRONG || n_pos > rooms->pos_left || n_neg > rooms->neg_left)
            return seen | WRONG;
        if (16 * n_pos > block.n && rooms->pos_left > n_pos && rooms->neg_left > n_neg)
            split_evenly(&block, rooms->pos, rooms->neg);
        else
            split_runs(&block, rooms->pos, rooms->neg);
        rooms->pos += n_pos, rooms->pos_left -= n_pos;
        rooms->neg -= n_neg, rooms->neg_left -= n_neg;
    }
    return seen;
}

static PyObject *split(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[4];
    static const int flags[] = {READ, READ, WRITE, WRITE};
    const char *letters[] = {SCORES, LABELS, FLOATS, FLOATS};
    if (n_args != 4)
        return refused("split takes scores, labels, and arrays for the scores of positives and of negatives");
    if (!take_all(args, arrays, 4, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Py_ssize_t n = length(&arrays[0]), n_pos = length(&arrays[2]), n_neg = length(&arrays[3]);
    int share = arrays[2].buf == arrays[3].buf && n_pos == n && n_neg == n;
    if (n != length(&arrays[1]) || (n != n_pos + n_neg && !share)) {
        refused("scores and labels must have the same length, and so must both classes together, or one room for both");
    } else {
        int seen;
        Rooms rooms = {arrays[2].buf, (double *)arrays[3].buf + n_neg, n_pos, n_neg};
        Py_BEGIN_ALLOW_THREADS
        seen = split_rows(&arrays[0], &arrays[1], &rooms);
        Py_END_ALLOW_THREADS
        result = Py_BuildValue("ni", n_pos - rooms.pos_left, seen);
    }
    release(arrays, 4);
    return result;
}

/* ---- tally: few different scores, counted without sorting ---------------------------------------------------- */

static size_t power_of_two(size_t at_least)
{
    size_t size = 1;
    while (size < at_least)
        size *= 2;
    return size;
}

/* The different scores so far, in the order they came, and where to find them. */
typedef struct {
    double *score;
    int64_t *rows; /* negatives and positives of each */
    Py_ssize_t n, limit;
    uint16_t *slot; /* 0, or 1 more than where the score stands */
    size_t mask;
} Tally;

/* Where a score stands; it is added if it is new, even beyond the limit by one. */
static Py_ssize_t find(Tally *tally, double score)
{
    uint64_t bits;
    memcpy(&bits, &score, sizeof bits);
    size_t at = (size_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & tally->mask;
    while (tally->slot[at] && tally->score[tally->slot[at] - 1] != score)
        at = (at + 1) & tally->mask;
    if (!tally->slot[at]) {
        if (tally->n++ == tally->limit)
            return -1;
        tally->slot[at] = (uint16_t)tally->n;
        tally->score[tally->n - 1] = score;
        tally->rows[2 * tally->n - 2] = tally->rows[2 * tally->n - 1] = 0;
    }
    return tally->slot[at] - 1;
}

/* Count rows; stop when there are more different scores than the limit. */
static int tally_rows(const Py_buffer *scores, const Py_buffer *labels, Tally *tally)
{
    int seen = 0;
    Block block;
    for (Py_ssize_t start = 0; start < length(scores) && !(seen & WRONG); start += block.n) {
        seen |= read_block(scores, labels, start, &block);
        for (Py_ssize_t i = 0; i < block.n; i++) {
            Py_ssize_t at = find(tally, block.score[i]);
            if (at < 0)
                return seen;
            tally->rows[2 * at + (block.positive[i] & 1)]++;
        }
    }
    return seen;
}

static PyObject *tally(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[4];
    static const int flags[] = {READ, READ, WRITE, WRITE};
    const char *letters[] = {SCORES, LABELS, FLOATS, WHOLE};
    if (n_args != 4)
        return refused("tally takes scores, labels, and arrays for different scores and their rows");
    if (!take_all(args, arrays, 4, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Py_ssize_t limit = length(&arrays[2]);
    Tally found = {.score = arrays[2].buf, .rows = arrays[3].buf, .limit = limit};
    if (length(&arrays[0]) != length(&arrays[1]))
        refused("scores and labels must have the same length");
    else if (!fits(&arrays[3], 8, 2 * limit) || limit >= UINT16_MAX)
        refused("rows must be int64, two for each score, and scores fewer than 65,535");
    else {
        found.mask = power_of_two(8 * (size_t)limit + 2) - 1;
        found.slot = calloc(found.mask + 1, sizeof *found.slot);
        int seen = 0;
        Py_BEGIN_ALLOW_THREADS
        if (found.slot)
            seen = tally_rows(&arrays[0], &arrays[1], &found);
        Py_END_ALLOW_THREADS
        result = found.slot ? Py_BuildValue("ni", found.n, seen) : PyErr_NoMemory();
        free(found.slot);
    }
    release(arrays, 4);
    return result;
}

/* ---- corners and count: two sorted classes beside each other ------------------------------------------------- */

typedef struct {
    const double *pos, *neg; /* rising */
    size_t n_pos, n_neg;
} Sorted;

/* How many of the rising scores are below this one. */
static size_t below(const double *rising, size_t n, double score)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rising[middle] < score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A walk down both classes, negatives first where scores are the same. */
typedef struct {
    size_t pos_left, neg_left;
} Walk;

enum { WALKS = 4 };

/* A walk that has passed so many rows. */
static Walk walk_from(const Sorted *rows, size_t passed)
{
    size_t low = passed > rows->n_neg ? passed - rows->n_neg : 0, high = passed < rows->n_pos ? passed : rows->n_pos;
    while (low < high) { /* the most positives of which the last one is above the negative that comes next */
        size_t n_pos = high - (high - low) / 2, n_neg = passed - n_pos;
        if (n_neg >= rows->n_neg || rows->pos[rows->n_pos - n_pos] > rows->neg[rows->n_neg - n_neg - 1])
            low = n_pos;
        else
            high = n_pos - 1;
    }
    return (Walk){rows->n_pos - low, rows->n_neg - (passed - low)};
}

/* One step: past a negative, or past a positive, whose negatives above or at it are then known. Almost without
 * branches, which would be taken by chance. */
static inline void walk_on(const Sorted *rows, Walk *walk, uint32_t *fp)
{
    double score = rows->pos[walk->pos_left - 1];
    size_t reaches = walk->neg_left && rows->neg[walk->neg_left - 1] >= score;
    walk->neg_left -= reaches;
    fp[rows->n_pos - walk->pos_left] = (uint32_t)(rows->n_neg - walk->neg_left);
    walk->pos_left -= 1 - reaches;
}

/* Negatives above or at each positive, highest first. Several walks take equal parts at the same time, so that the
 * processor need not wait for any. */
static void count_above(const Sorted *rows, uint32_t *fp)
{
    size_t steps = rows->n_pos + rows->n_neg - below(rows->neg, rows->n_neg, rows->pos[0]), each = steps / WALKS;
    Walk walk[WALKS];
    for (size_t k = 0; k < WALKS; k++)
        walk[k] = walk_from(rows, k * each);
    Walk a = walk[0], b = walk[1], c = walk[2], d = walk[3];
    for (size_t step = 0; step < each && a.pos_left && b.pos_left && c.pos_left && d.pos_left; step++) {
        walk_on(rows, &a, fp);
        walk_on(rows, &b, fp);
        walk_on(rows, &c, fp);
        walk_on(rows, &d, fp);
    }
    while (d.pos_left)
        walk_on(rows, &d, fp);
    /* Where a walk begins, the one before may have come later, and stopped short. */
    for (size_t k = 1; k < WALKS; k++)
        if (walk[k].pos_left) {
            double score = rows->pos[walk[k].pos_left - 1];
            fp[rows->n_pos - walk[k].pos_left] = (uint32_t)(rows->n_neg - below(rows->neg, rows->n_neg, score));
        }
}

/* Running counts of both classes at each different positive score, highest first, and negatives at it; how many there
 * are. What is known of each positive is overwritten by what is known of each score. */
static size_t running_counts(const Sorted *rows, uint32_t *tp, uint32_t *fp, uint32_t *tied)
{
    size_t at = 0;
    if (rows->n_pos)
        count_above(rows, fp);
    for (size_t left = rows->n_pos; left; left--) {
        double score = rows->pos[left - 1];
        size_t above = fp[rows->n_pos - left];
        above = above < rows->n_neg ? above : rows->n_neg; /* which it is, unless rows were not sorted */
        const double *neg = rows->neg + (rows->n_neg - above), *end = rows->neg + rows->n_neg;
        const double *here = neg;
        while (here < end && *here == score)
            here++;
        tp[at] = (uint32_t)(rows->n_pos - left + 1);
        fp[at] = (uint32_t)above;
        tied[at] = (uint32_t)(here - neg);
        at += left == 1 || rows->pos[left - 2] != score;
    }
    return at;
}

static PyObject *corners(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[5];
    static const int flags[] = {READ, READ, WRITE, WRITE, WRITE};
    const char *letters[] = {FLOATS, FLOATS, COUNTS, COUNTS, COUNTS};
    if (n_args != 5)
        return refused("corners takes rising positives and negatives, and arrays for tp, fp and ties");
    if (!take_all(args, arrays, 5, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Sorted rows = {arrays[0].buf, arrays[1].buf, (size_t)length(&arrays[0]), (size_t)length(&arrays[1])};
    Py_ssize_t n = length(&arrays[0]);
    if (!fits(&arrays[2], 4, n) || !fits(&arrays[3], 4, n) || !fits(&arrays[4], 4, n) || rows.n_pos > UINT32_MAX ||
        rows.n_neg > UINT32_MAX) {
        refused("tp, fp and ties must be uint32, as many as positives");
    } else {
        size_t different;
        Py_BEGIN_ALLOW_THREADS
        different = running_counts(&rows, arrays[2].buf, arrays[3].buf, arrays[4].buf);
        Py_END_ALLOW_THREADS
        result = PyLong_FromSize_t(different);
    }
    release(arrays, 5);
    return result;
}

/* Rows of both classes at each different score, highest first; how many there are. */
static size_t count_sorted(const Sorted *rows, double *score, uint32_t *pos, uint32_t *neg)
{
    size_t pos_left = rows->n_pos, neg_left = rows->n_neg, at = 0;
    for (; pos_left || neg_left; at++) {
        double of_pos = pos_left ? rows->pos[pos_left - 1] : -HUGE_VAL;
        double of_neg = neg_left ? rows->neg[neg_left - 1] : -HUGE_VAL;
        double here = of_pos > of_neg ? of_pos : of_neg;
        size_t pos_before = pos_left, neg_before = neg_left;
        while (pos_left && rows->pos[pos_left - 1] == here)
            pos_left--;
        while (neg_left && rows->neg[neg_left - 1] == here)
            neg_left--;
        if (pos_left == pos_before && neg_left == neg_before)
            break; /* a nan, which was refused before */
        score[at] = here;
        pos[at] = (uint32_t)(pos_before - pos_left);
        neg[at] = (uint32_t)(neg_before - neg_left);
    }
    return at;
}

static PyObject *count(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[5];
    static const int flags[] = {READ, READ, WRITE, WRITE, WRITE};
    const char *letters[] = {FLOATS, FLOATS, FLOATS, COUNTS, COUNTS};
    if (n_args != 5)
        return refused("count takes rising positives and negatives, and arrays for score, pos and neg");
    if (!take_all(args, arrays, 5, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Sorted rows = {arrays[0].buf, arrays[1].buf, (size_t)length(&arrays[0]), (size_t)length(&arrays[1])};
    Py_ssize_t n = length(&arrays[0]) + length(&arrays[1]);
    if (!fits(&arrays[2], 8, n) || !fits(&arrays[3], 4, n) || !fits(&arrays[4], 4, n) || (uint64_t)n > UINT32_MAX) {
        refused("counts must be uint32, and all as many as rows");
    } else {
        size_t different;
        Py_BEGIN_ALLOW_THREADS
        different = count_sorted(&rows, arrays[2].buf, arrays[3].buf, arrays[4].buf);
        Py_END_ALLOW_THREADS
        result = PyLong_FromSize_t(different);
    }
    release(arrays, 5);
    return result;
}

/* ---- place: rows of one class, in any order, between the scores of the other ---------------------------------- */

/* Scores are cut into cells by the leading bits of their keys, about by their logarithm. A cell that holds no score of
 * the other class decides where its rows are. */
typedef struct {
    size_t n;
    double *score;  /* of the other class, different ones, falling; with some of -inf behind them */
    uint64_t first; /* key of the highest score */
    int shift;
    size_t n_cells;
    uint32_t *begin; /* how many scores are in the cells before */
    uint32_t *rows;  /* how many rows each cell got, beside the mark */
} Cells;

static const uint32_t HOLDS_A_SCORE = UINT32_C(1) << 31;

enum { MOST_CELLS = 1 << 19, AT_ONCE = 4 };

/* A number whose order is that of falling scores. */
static uint64_t key_of(double score)
{
    uint64_t bits;
    memcpy(&bits, &score, sizeof bits);
    return bits >> 63 ? bits : bits ^ INT64_MAX;
}

/* The first cell is for what is above all scores. A lower score never has an earlier cell. */
static size_t cell_of(const Cells *cells, double score)
{
    uint64_t key = key_of(score), cell = ((key - cells->first) >> cells->shift) + 1;
    cell = cell < cells->n_cells ? cell : cells->n_cells - 1;
    return key < cells->first ? 0 : (size_t)cell;
}

/* About eight cells for each score, but no more than fit in a processor's cache, or than there are rows. */
static size_t cells_for(size_t n, size_t n_rows)
{
    size_t wanted = 8 * n < n_rows / 4 ? 8 * n : n_rows / 4;
    wanted = wanted < MOST_CELLS ? wanted : MOST_CELLS;
    return power_of_two(wanted > 2 ? wanted : 2) + 2;
}

static void drop_cells(Cells *cells)
{
    free(cells->score);
    free(cells->begin);
    free(cells->rows);
}

/* Room for cells; 0 without memory. */
static int make_cells(Cells *cells, const double *score, size_t n, size_t n_cells)
{
    *cells = (Cells){.n = n, .first = key_of(score[0]), .n_cells = n_cells};
    cells->score = malloc((n + AT_ONCE) * sizeof(double));
    cells->begin = malloc((n_cells + 1) * sizeof(uint32_t));
    cells->rows = calloc(n_cells, sizeof(uint32_t));
    if (!cells->score || !cells->begin || !cells->rows)
        return 0;
    memcpy(cells->score, score, n * sizeof(double));
    for (size_t k = 0; k < AT_ONCE; k++)
        cells->score[n + k] = -HUGE_VAL;
    return 1;
}

static void fill_cells(Cells *cells)
{
    while ((key_of(cells->score[cells->n - 1]) - cells->first) >> cells->shift >= cells->n_cells - 2)
        cells->shift++;
    size_t at = 0;
    for (size_t cell = 0; cell < cells->n_cells; cell++) {
        cells->begin[cell] = (uint32_t)at;
        for (; at < cells->n && cell_of(cells, cells->score[at]) <= cell; at++)
            cells->rows[cell] = HOLDS_A_SCORE;
    }
    cells->begin[cells->n_cells] = (uint32_t)at;
}

/* A row whose cell holds scores: compare it with them. */
static void place_row(const Cells *cells, double row, uint32_t *counts)
{
    size_t cell = cell_of(cells, row), low = cells->begin[cell];
    /* Four at once without a branch; what stands behind the cell is lower anyway. */
    const double *score = cells->score + low;
    size_t higher = (size_t)(score[0] > row) + (score[1] > row) + (score[2] > row) + (score[3] > row);
    low += higher;
    size_t high = higher < AT_ONCE ? low : cells->begin[cell + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cells->score[middle] > row)
            low = middle + 1;
        else
            high = middle;
    }
    counts[2 * low + (low < cells->n && cells->score[low] == row)]++;
}

/* Count rows above, between, below and at scores: gap and tie by turns. */
static void place_rows(Cells *cells, const double *rows, size_t n, uint32_t *counts)
{
    double undecided[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = n - start < BLOCK ? n : start + BLOCK, waiting = 0;
        for (size_t i = start; i < end; i++) {
            uint32_t *cell = &cells->rows[cell_of(cells, rows[i])];
            undecided[waiting] = rows[i];
            waiting += *cell >> 31;
            *cell += 1;
        }
        for (size_t i = 0; i < waiting; i++)
            place_row(cells, undecided[i], counts);
    }
    for (size_t cell = 0; cell < cells->n_cells; cell++)
        if (cells->rows[cell] < HOLDS_A_SCORE)
            counts[2 * (size_t)cells->begin[cell]] += cells->rows[cell];
}

static PyObject *place(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[3];
    static const int flags[] = {READ, READ, WRITE};
    const char *letters[] = {FLOATS, FLOATS, COUNTS};
    if (n_args != 3)
        return refused("place takes falling scores, rows, and an array for counts");
    if (!take_all(args, arrays, 3, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Py_ssize_t n = length(&arrays[0]), n_rows = length(&arrays[1]);
    if (n == 0 || !fits(&arrays[2], 4, 2 * n + 2) || n > INT32_MAX || n_rows > INT32_MAX) {
        refused("counts must be uint32, two for each score and two more");
    } else {
        int made;
        Cells cells;
        Py_BEGIN_ALLOW_THREADS
        made = make_cells(&cells, arrays[0].buf, (size_t)n, cells_for((size_t)n, (size_t)n_rows));
        if (made) {
            fill_cells(&cells);
            place_rows(&cells, arrays[1].buf, (size_t)n_rows, arrays[2].buf);
        }
        drop_cells(&cells);
        Py_END_ALLOW_THREADS
        result = made ? Py_NewRef(Py_None) : PyErr_NoMemory();
    }
    release(arrays, 3);
    return result;
}

/* ---- bins: sums over probabilities that do not depend on the order of rows ----------------------------------- */

/* Where the bins are. A first look at a probability's leading digits leaves few edges to compare it with. */
enum { LOOKS = 256, EXPONENTS = 1024 };

typedef struct {
    const double *edge; /* between bins, rising */
    size_t n_edges;
    int right_closed;
    uint32_t first[LOOKS + 1];
} Bins;

static int is_beyond(const Bins *bins, double score, double edge)
{
    return score > edge || (!bins->right_closed && score == edge);
}

static void look_up(Bins *bins)
{
    for (int look = 0, at = 0; look <= LOOKS; look++) {
        while ((size_t)at < bins->n_edges && bins->edge[at] < (double)look / LOOKS)
            at++;
        bins->first[look] = (uint32_t)at;
    }
}

static size_t bin_of(const Bins *bins, double score)
{
    size_t bin = bins->first[(int)(score * LOOKS)];
    while (bin < bins->n_edges && is_beyond(bins, score, bins->edge[bin]))
        bin++;
    return bin;
}

static int is_share(double score)
{
    return score >= 0 && score <= 1;
}

/* Add a number from 0 to 1 to a sum in whole numbers: two of them, the low and the high half of the digits, for each
 * exponent. Such sums are exact, in any order, up to 2^32 numbers. */
static inline void add_share(uint64_t *sum, double share)
{
    uint64_t bits;
    memcpy(&bits, &share, sizeof bits);
    uint64_t exponent = bits >> 52 & (2 * EXPONENTS - 1); /* without the sign, which a zero may have */
    uint64_t digits = (bits & ((UINT64_C(1) << 52) - 1)) | ((uint64_t)(exponent > 0) << 52);
    sum[2 * exponent] += digits & UINT32_MAX;
    sum[2 * exponent + 1] += digits >> 32;
}

/* Where the sums of rows go, by bin. */
typedef struct {
    uint64_t *sum;
    int64_t *rows;
    double *ends;          /* the lowest and the highest score, if there is any row */
    const double *special; /* as many as edges, each next to its edge */
    uint8_t *met;          /* whether a row has this very score */
} Binned;

/* The bins of some scores; 0 if one is not between 0 and 1. */
static int find_bins(const Bins *bins, const double *score, size_t n, uint32_t *bin)
{
    int fine = 1;
    for (size_t i = 0; i < n; i++)
        fine &= is_share(score[i]);
    for (size_t i = 0; fine && i < n; i++)
        bin[i] = (uint32_t)bin_of(bins, score[i]);
    return fine;
}

static void see_ends(const Binned *binned, const double *score, size_t n, const uint32_t *bin)
{
    for (size_t i = 0; i < n; i++) {
        double *ends = binned->ends + 2 * (size_t)bin[i];
        if (!binned->rows[bin[i]]++)
            ends[0] = ends[1] = score[i];
        if (score[i] < ends[0])
            ends[0] = score[i];
        if (score[i] > ends[1])
            ends[1] = score[i];
    }
}

static void see_specials(const Binned *binned, size_t n_edges, const double *score, size_t n, const uint32_t *bin)
{
    for (size_t i = 0; i < n; i++) {
        if (bin[i] < n_edges && score[i] == binned->special[bin[i]])
            binned->met[bin[i]] = 1;
        if (bin[i] && score[i] == binned->special[bin[i] - 1])
            binned->met[bin[i] - 1] = 1;
    }
}

/* A block at a time and one thing after the other: a processor that has to wait for what it has just written is slow. */
static int bin_rows(const Bins *bins, const double *rows, size_t n, const Binned *binned)
{
    uint32_t bin[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t size = n - start < BLOCK ? n - start : BLOCK;
        const double *score = rows + start;
        if (!find_bins(bins, score, size, bin))
            return 0;
        for (size_t i = 0; i < size; i++)
            add_share(binned->sum + 2 * EXPONENTS * (size_t)bin[i], score[i]);
        see_ends(binned, score, size, bin);
        see_specials(binned, bins->n_edges, score, size, bin);
    }
    return 1;
}

static PyObject *bin_sums(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[7];
    static const int flags[] = {READ, READ, READ, WRITE, WRITE, WRITE, WRITE};
    const char *letters[] = {FLOATS, FLOATS, FLOATS, "LQ", WHOLE, FLOATS, "B"};
    if (n_args != 8)
        return refused("bin_sums takes rows, edges, special scores, arrays for results, and which end is closed");
    int right_closed = PyObject_IsTrue(args[7]);
    if (right_closed < 0 || !take_all(args, arrays, 7, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Py_ssize_t n_edges = length(&arrays[1]), n = n_edges + 1;
    if (length(&arrays[2]) != n_edges || !fits(&arrays[3], 8, 2 * EXPONENTS * n) || !fits(&arrays[4], 8, n) ||
        length(&arrays[5]) != 2 * n || length(&arrays[6]) != n_edges || n_edges > INT32_MAX) {
        refused("arrays must have room for all bins");
    } else {
        int done;
        Bins bins = {.edge = arrays[1].buf, .n_edges = (size_t)n_edges, .right_closed = right_closed};
        Binned binned = {arrays[3].buf, arrays[4].buf, arrays[5].buf, arrays[2].buf, arrays[6].buf};
        Py_BEGIN_ALLOW_THREADS
        look_up(&bins);
        done = bin_rows(&bins, arrays[0].buf, (size_t)length(&arrays[0]), &binned);
        Py_END_ALLOW_THREADS
        result = done ? Py_NewRef(Py_None) : refused("scores must be between 0 and 1");
    }
    release(arrays, 7);
    return result;
}

/* Squares of scores, or of what they lack to 1, each in units of its bin. */
static int square_rows(const Bins *bins, const double *score, size_t n, int lacking, const double *units, uint64_t *sum)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_share(score[i]))
            return 0;
        size_t bin = bin_of(bins, score[i]);
        double share = (lacking ? 1 - score[i] : score[i]) * units[bin];
        if (!is_share(share))
            return 0;
        add_share(sum + 2 * EXPONENTS * bin, share * share);
    }
    return 1;
}

static PyObject *bin_squares(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[4];
    static const int flags[] = {READ, READ, READ, WRITE};
    const char *letters[] = {FLOATS, FLOATS, FLOATS, "LQ"};
    if (n_args != 6)
        return refused("bin_squares takes rows, edges, units, an array for sums, which end is closed, whether lacks");
    int right_closed = PyObject_IsTrue(args[4]), lacking = PyObject_IsTrue(args[5]);
    if (right_closed < 0 || lacking < 0 || !take_all(args, arrays, 4, flags, letters))
        return NULL;
    PyObject *result = NULL;
    Py_ssize_t n_edges = length(&arrays[1]), n = n_edges + 1;
    if (length(&arrays[2]) != n || !fits(&arrays[3], 8, 2 * EXPONENTS * n) || n_edges > INT32_MAX) {
        refused("arrays must have room for all bins");
    } else {
        int done;
        Bins bins = {.edge = arrays[1].buf, .n_edges = (size_t)n_edges, .right_closed = right_closed};
        Py_BEGIN_ALLOW_THREADS
        look_up(&bins);
        done = square_rows(&bins, arrays[0].buf, (size_t)length(&arrays[0]), lacking, arrays[2].buf, arrays[3].buf);
        Py_END_ALLOW_THREADS
        result = done ? Py_NewRef(Py_None) : refused("scores must be between 0 and 1, also in units");
    }
    release(arrays, 4);
    return result;
}

/* ---- invert: uniform numbers to the values of discrete laws ------------------------------------------------------ */

/* Tables of distribution functions, one row of `width` shares and of `parts` first values for each law. */
typedef struct {
    const int64_t *lowest, *guide;
    const double *cdf;
    size_t width, parts;
} Laws;

/* The least value whose share is beyond each of n uniform numbers; 0 if a number or the guide leaves its range. */
static int invert_row(const Laws *laws, size_t law, const double *uniform, size_t n, int64_t *found)
{
    const double *cdf = laws->cdf + law * laws->width;
    const int64_t *guide = laws->guide + law * laws->parts;
    for (size_t i = 0; i < n; i++) {
        if (!(uniform[i] >= 0 && uniform[i] < 1))
            return 0;
        size_t part = (size_t)(uniform[i] * (double)laws->parts);
        size_t value = part < laws->parts ? (size_t)guide[part] : laws->width;
        if (value >= laws->width)
            return 0;
        while (value + 1 < laws->width && uniform[i] >= cdf[value])
            value++;
        found[i] = laws->lowest[law] + (int64_t)value;
    }
    return 1;
}

static PyObject *invert(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    Py_buffer arrays[6];
    static const int flags[] = {READ, READ, READ, READ, READ, WRITE};
    const char *letters[] = {FLOATS, WHOLE, WHOLE, FLOATS, WHOLE, WHOLE};
    if (n_args != 6)
        return refused("invert takes uniform numbers, laws, lowest values, shares, a guide, and an array for values");
    if (!take_all(args, arrays, 6, flags, letters))
        return NULL;
    Py_ssize_t n = length(&arrays[0]), rows = length(&arrays[1]), n_laws = length(&arrays[2]);
    const int64_t *law = arrays[1].buf;
    int fit = rows > 0 && n_laws > 0 && n % rows == 0 && length(&arrays[5]) == n;
    fit = fit && length(&arrays[3]) >= n_laws && length(&arrays[3]) % n_laws == 0;
    fit = fit && length(&arrays[4]) >= n_laws && length(&arrays[4]) % n_laws == 0;
    for (Py_ssize_t k = 0; fit && k < rows; k++)
        fit = law[k] >= 0 && law[k] < n_laws;
    if (fit) {
        Laws laws = {arrays[2].buf, arrays[4].buf, arrays[3].buf, (size_t)(length(&arrays[3]) / n_laws),
                     (size_t)(length(&arrays[4]) / n_laws)};
        size_t each = (size_t)(n / rows);
        Py_BEGIN_ALLOW_THREADS
        for (size_t k = 0; fit && k < (size_t)rows; k++)
            fit = invert_row(&laws, (size_t)law[k], (double *)arrays[0].buf + k * each, each,
                              (int64_t *)arrays[5].buf + k * each);
        Py_END_ALLOW_THREADS
    }
    release(arrays, 6);
    return fit ? Py_NewRef(Py_None) : refused("tables must fit, and numbers must be from 0 to below 1");
}

/* ---- the module ---------------------------------------------------------------------------------------------- */

#define METHOD(name, doc) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, doc}

static PyMethodDef methods[] = {
    {"ones", ones, METH_O, "How many labels are 1, and what else was seen."},
    METHOD(split, "The scores of each class."),
    METHOD(tally, "Rows by score and class where there are few different scores."),
    METHOD(corners, "Running counts at each different positive score, of sorted classes."),
    METHOD(count, "Rows by score and class, of sorted classes."),
    METHOD(place, "Rows in any order between and at falling scores."),
    METHOD(bin_sums, "Rows, sums and ends of probabilities by bin."),
    METHOD(bin_squares, "Sums of squares of probabilities by bin."),
    METHOD(invert, "Values of discrete laws at uniform numbers."),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernel", "Rows to counts, compiled.", 0, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernel(void);

PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModule_Create(&module);
}
