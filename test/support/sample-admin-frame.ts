import { owner, school } from './sample-people.ts'

export const place = { timeZone: 'Asia/Taipei', currency: 'TWD' }

/** The frame of every admin page, for an owner at the page `here`. */
export const at = (here: string) => ({
  school,
  here,
  viewer: owner,
  applicationsShown: true,
  timeZone: place.timeZone,
})

export const id = (end: number) => `0198f3c0-0000-7000-8000-${String(end).padStart(12, '0')}`
