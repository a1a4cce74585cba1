/** One of the two schools of the database: the big one, and one that is a thousandth of it. */
export interface SchoolSize {
  readonly name: 'big' | 'small'
  /** The number that `bench_id('school', n)` makes its id of. */
  readonly number: number
  readonly host: string
  /** Thousands of people; every other number grows with it. */
  readonly thousands: number
  /** Courses, and things of which there are some, where they do not follow from the people. */
  readonly courses?: number
  readonly some?: number
}

export const BIG: SchoolSize = {
  name: 'big',
  number: 1,
  host: 'big.bench.test',
  thousands: 1000,
}

export const SMALL: SchoolSize = {
  name: 'small',
  number: 2,
  host: 'small.bench.test',
  thousands: 1,
}

/** The people who are asked for by name; all others are students. */
export const PERSON = { owner: 1, busy: 2, lecturer: 3, student: 400 } as const

export const peopleOf = ({ thousands }: SchoolSize): number => thousands * 1000
export const coursesOf = ({ thousands, courses }: SchoolSize): number => courses ?? thousands * 5

/** Things of which a small school has some too, and a big one hundreds. */
export const someOf = ({ thousands, some }: SchoolSize): number =>
  some ?? Math.max(4, thousands / 10)

/**
 * So many of each thing fill any page and the one after it, and are as many as at the big school.
 */
export const FULL_PAGE = 100

/** The small school with full pages: a page of 25 is not compared with one of 4. */
export const SMALL_WITH_PAGES: SchoolSize = { ...SMALL, courses: FULL_PAGE, some: FULL_PAGE }
