/** The kinds of public objects; the first half of an id that `fetch` takes. */
export const KINDS = [
  'course',
  'event',
  'membership_plan',
  'digital_product',
  'post',
  'page',
] as const

export type Kind = (typeof KINDS)[number]
