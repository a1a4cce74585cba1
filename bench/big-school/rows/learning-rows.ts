import { coursesOf, PERSON, peopleOf, type SchoolSize, someOf } from '../school-size.ts'
import { each, rowTexts } from './row-texts.ts'

/** Courses differ in length, from 4 to 20 lectures; a section has 5. */
const LENGTH = '4 + c % 17'
/** How many lectures of a course a student did; 2.6 in the middle. */
const DONE = '(array[0, 1, 2, 3, 4, 5, 3])[1 + (p + k) % 7]'
/** Learning days of a person are 89 days apart, eight times within 712 days. */
const DAYS = 712

/** Courses, enrollments, progress, comments. Everybody is in the first course. */
export function learningRows(size: SchoolSize): readonly string[] {
  const { school, id, ago, oneOf } = rowTexts(size)
  const people = peopleOf(size)
  const courses = coursesOf(size)
  const others = courses - 1
  const course = `case k when 0 then 1 else 2 + (p + k * ${Math.floor(others / 4)}) % ${others} end`
  const enrollments = `${each('p', people)}, generate_series(0, 4) k, lateral (select ${course} as c) x`
  const lectures = `${each('c', courses)}, lateral generate_series(1, ${LENGTH}) l`
  const comments = size.thousands * 500
  return [
    `insert into courses (school_id, id, slug, title, summary, description, state, price_amount, currency, published_at, archived_at, created_at)
     select ${school}, ${id('course', 'c')}, 'course-' || c, ${oneOf('c', ['Drawing', 'Baking', 'Calculus', 'Poetry', 'Sailing'])} || ' ' || c,
       'What you learn in course ' || c, 'Course ' || c || ' goes from the first steps to work of your own.',
       case when c > 4 and c % 40 = 1 then 'archived' when c > 4 and c % 40 = 2 then 'draft' else 'published' end,
       1000 * (c % 20), 'USD', ${ago('c', courses)}, case when c > 4 and c % 40 = 1 then now() end, ${ago('c', courses)}
     from ${each('c', courses)}`,
    `insert into sections (school_id, id, course_id, position, title)
     select ${school}, ${id('section', 'c * 100 + s')}, ${id('course', 'c')}, s, 'Part ' || s + 1
     from ${each('c', courses)}, lateral generate_series(0, (${LENGTH} - 1) / 5) s`,
    `insert into lectures (school_id, id, course_id, section_id, position, title, kind, body, duration_seconds)
     select ${school}, ${id('lecture', 'c * 100 + l')}, ${id('course', 'c')}, ${id('section', 'c * 100 + (l - 1) / 5')},
       (l - 1) % 5, 'Lecture ' || l || ' of course ' || c, ${oneOf('l', ['video', 'text', 'quiz', 'file'])},
       'Read this before lecture ' || l || '.', 60 * l from ${lectures}`,
    `insert into lecturers (school_id, user_id, headline)
     select ${school}, ${id('person', '99 + n')}, 'Teaches since ' || 1980 + n % 40 from ${each('n', someOf(size))}
     union all select ${school}, ${id('person', PERSON.lecturer)}, 'Teaches everything'`,
    `insert into course_lecturers (school_id, course_id, user_id)
     select ${school}, ${id('course', 'c')}, ${id('person', `100 + c % ${someOf(size)}`)} from ${each('c', courses)}`,
    `insert into enrollments (school_id, id, course_id, user_id, source, enrolled_at, created_at, expires_at, revoked_at)
     select ${school}, ${id('enrollment', 'p * 5 + k')}, ${id('course', 'c')}, ${id('person', 'p')},
       ${oneOf('p + k', ['purchase', 'plan', 'grant', 'purchase', 'import'])}, ${ago('p', people)}, ${ago('p', people)},
       case when k = 4 and p % 3 = 0 then ${ago('p', people)} + interval '180 days' end,
       case when k = 3 and p % 50 = 0 then now() end
     from ${enrollments}`,
    `insert into lecture_progress (school_id, user_id, course_id, lecture_id, state, position_seconds, first_read_at, completed_at)
     select ${school}, ${id('person', 'p')}, ${id('course', 'c')}, ${id('lecture', 'c * 100 + l')},
       case when l = 3 and p % 5 = 0 then 'read' else 'completed' end, 30, ${ago('p', people)},
       case when l = 3 and p % 5 = 0 then null else least(now(), ${ago('p', people)} + interval '1 day' * l) end
     from ${enrollments}, lateral generate_series(1, least(${DONE}, ${LENGTH})) l`,
    `insert into learning_days (school_id, day, user_id)
     select ${school}, current_date - (p * 37 + k * 89) % ${DAYS}, ${id('person', 'p')}
     from ${each('p', people)}, lateral generate_series(1, 7 + p % 2) k`,
    `insert into comments (school_id, id, lecture_id, user_id, body, created_at, hidden_at)
     select ${school}, ${id('comment', 'n')}, ${id('lecture', `(1 + n % ${courses}) * 100 + 1 + n % 4`)},
       ${id('person', `n % ${people} + 1`)}, 'I have a question about ' || ${oneOf('n', ['the exercise', 'the second step', 'the tools', 'the last minute'])} || ' ' || n,
       ${ago('n', comments)}, case when n % 100 = 0 then now() end
     from ${each('n', comments)}`,
  ]
}
