import type { LectureOfViewer } from '../../src/domain/learning/open-lecture.ts'
import type { SyllabusLecture } from '../../src/domain/learning/syllabus.ts'
import { renderMarkdown } from '../../src/foundation/markdown/render-markdown.ts'
import { lecturePage } from '../../src/surfaces/pages/views/lecture.tsx'
import { harbor, hostileName, school, student } from './sample-people.ts'

const timeZone = 'Asia/Taipei'
const day = (text: string) => new Date(`${text}Z`)
const body = '# Narrowing\n\nA `typeof` check is **enough**.\n\n- one\n- two'

const lectures: readonly SyllabusLecture[] = [
  'Why types help',
  'Narrowing, and when the compiler cannot follow you: control flow, guards and assertions',
  'أنواع البيانات في الواجهات',
].map((title, n) => ({
  id: `01981c5e-7c00-7000-8000-0000000b000${n}`,
  title,
  durationSeconds: 540 + n * 3600,
  state: n === 0 ? 'completed' : 'read',
  isPreview: n === 0,
  sectionTitle: 'The type system',
  isLocked: false,
  unlockAt: null,
}))

const enrollment = {
  key: { at: day('2026-10-02T08:30'), id: '01981c5e-7c00-7000-8000-0000000b0010' },
  id: '01981c5e-7c00-7000-8000-0000000b0011',
  slug: 'typescript',
  title: 'TypeScript from the ground up',
  createdAt: day('2026-01-02T08:30'),
  outlineVersion: 1,
  enrolledAt: day('2026-10-02T08:30'),
  expiresAt: day('2026-11-02T08:30'),
  lastWatched: null,
  readAt: day('2026-11-10T08:30'),
}

const sections = [{ id: '01981c5e-7c00-7000-8000-0000000b0012', title: 'Types', lectures }]
const progress = { completedLectures: 1, totalLectures: 3, percent: 33 }
const { id, slug, title } = enrollment

function place(n: number, change: Partial<SyllabusLecture> = {}): LectureOfViewer {
  const lecture = lectures[n]
  if (lecture === undefined) throw new Error(`there is no lecture ${n}`)
  return {
    course: { id, slug, title, sections },
    lecture: { ...lecture, ...change },
    number: n + 1,
    lectureCount: lectures.length,
    previous: lectures[n - 1],
    next: lectures[n + 1],
    content: { body, html: renderMarkdown(body), positionSeconds: 0 },
  }
}

const learner = { ...place(1).course, learner: { enrollment, progress } }
const frame = { school, here: '/courses/typescript/lectures/1', timeZone }
const locked = { isLocked: true, unlockAt: null }

export const sampleLecturePages: Record<string, string> = {
  'lecture-free': lecturePage({ ...frame, ...place(0) }),
  lecture: lecturePage({ ...frame, ...place(1), course: learner, viewer: student }),
  'lecture-completed': lecturePage({
    ...frame,
    ...place(2, { state: 'completed', title: hostileName }),
    school: harbor,
    course: learner,
    viewer: student,
    content: { body: '', html: '', positionSeconds: 0 },
    notice: 'This lecture is completed.',
  }),
  'lecture-for-students': lecturePage({ ...frame, ...place(1, locked), content: undefined }),
  'lecture-opens-later': lecturePage({
    ...frame,
    ...place(1, { isLocked: true, unlockAt: day('2026-12-05T10:00') }),
    course: learner,
    viewer: student,
    content: undefined,
  }),
  'lecture-access-ended': lecturePage({
    ...frame,
    ...place(1, locked),
    course: learner,
    viewer: student,
    content: undefined,
  }),
}
