/** The number of rows in the database before a measurement. */
export interface Size {
  readonly schools: number
  readonly people: number
  readonly tokenPairs: number
  readonly progressRows: number
}

export const SIZES = {
  tiny: { schools: 1, people: 1_000, tokenPairs: 10_000, progressRows: 20_000 },
  quick: { schools: 100, people: 20_000, tokenPairs: 50_000, progressRows: 100_000 },
  full: { schools: 1_000, people: 100_000, tokenPairs: 1_000_000, progressRows: 2_000_000 },
  schools: { schools: 10_000, people: 20_000, tokenPairs: 20_000, progressRows: 20_000 },
  huge: { schools: 10_000, people: 200_000, tokenPairs: 10_000_000, progressRows: 2_000_000 },
} as const satisfies Record<string, Size>

export type SizeName = keyof typeof SIZES
