import { z } from 'zod'
import { columnsOf, NEEDED, stampState } from '../bulk/columns.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { keepImported } from '../content/rendered-texts.ts'
import { time } from '../operation/fields.ts'
import { schoolCurrency } from '../schools/school-currency.ts'
import { listCourses } from './course-operations.ts'
import { COURSE_STATES, courses } from './course-resource.ts'
import { courseFields, courseRules } from './course-rules.ts'

export const courseKind = tableKind({
  name: 'courses',
  about: 'Courses in every state; sections and lectures are separate kinds.',
  of: courses,
  list: listCourses,
  scopes: { read: 'courses:read', write: 'courses:write' },
  example: { slug: 'watercolour', title: 'Watercolour', price_amount: 4900, currency: 'USD' },
  table: 'courses',
  natural: ['slug'],
  columns: {
    ...columnsOf(courseFields, {
      slug: NEEDED,
      title: NEEDED,
      summary: { default: '' },
      description: { default: '' },
      price_amount: { default: 0 },
      currency: { note: 'the school’s currency by default' },
      cover_file_id: {},
      lecturer_ids: { default: [] },
    }),
    state: { schema: z.enum(COURSE_STATES), default: 'draft' },
    published_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
    archived_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
  },
  lists: {
    lecturer_ids: {
      table: 'course_lecturers',
      owner: 'course_id',
      columns: ['user_id', 'position'],
      rows: (people: readonly string[]) =>
        people.map((user_id, position) => ({ user_id, position })),
    },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  complete(row) {
    row.values.state ??= row.before?.state ?? 'draft'
    if (row.values.state === 'published') stampState(row, ['published'], 'published_at')
    stampState(row, ['archived'], 'archived_at')
  },
  rules: courseRules,
  confirm: keepImported('courses'),
})
