import type { Tool } from '../tool.ts'
import { PEOPLE_TOOLS } from './people-tools.ts'
import { PUBLISHING_TOOLS } from './publishing-tools.ts'
import { SALES_TOOLS } from './sales-tools.ts'
import { SCHOOL_TOOLS } from './school-tools.ts'
import { TEACHING_TOOLS } from './teaching-tools.ts'

/** For owners and admins: the operations of the REST API, grouped by what people set out to do. */
export const OPERATOR_TOOLS: readonly Tool[] = [
  ...TEACHING_TOOLS,
  ...PEOPLE_TOOLS,
  ...SALES_TOOLS,
  ...PUBLISHING_TOOLS,
  ...SCHOOL_TOOLS,
]
