/**
 * How much a large store forgets at once when it is full. A map passes every deleted entry again on the way to its oldest
 * key, so one at a time costs 20 µs where there are 20,000.
 */
export const forgottenAtOnce = (most: number): number => Math.floor(most / 256)
