import { owner, school } from './sample-people.ts'

export const place = { timeZone: 'Asia/Taipei', currency: 'TWD' }

/** What every page of the admin area stands in, for an owner who is at `here`. */
export const at = (here: string) => ({
  school,
  here,
  viewer: owner,
  applicationsShown: true,
  timeZone: place.timeZone,
})

export const id = (end: number) => `0198f3c0-0000-7000-8000-${String(end).padStart(12, '0')}`
