import type { Tool } from '../tool.ts'
import { getCourse, listCourses } from './courses.ts'
import { listEvents } from './events.ts'
import { fetchText } from './fetch.ts'
import { getSchool } from './get-school.ts'
import { listDigitalProducts, listMembershipPlans } from './offers.ts'
import { search } from './search.ts'
import { listPages, listPosts } from './writing.ts'

/** For all callers, signed in or not. */
export const PUBLIC_TOOLS: readonly Tool[] = [
  getSchool,
  search,
  fetchText,
  listCourses,
  getCourse,
  listEvents,
  listMembershipPlans,
  listDigitalProducts,
  listPosts,
  listPages,
]
