import type { ShownComment, Thread } from '../../src/domain/learning/discussion.ts'
import type { LectureContent, LectureOfViewer } from '../../src/domain/learning/open-lecture.ts'
import type { SyllabusLecture } from '../../src/domain/learning/syllabus.ts'
import { renderMarkdown } from '../../src/foundation/markdown/render-markdown.ts'
import { coursePage } from '../../src/surfaces/pages/site/courses.tsx'
import { type Discussion, discussionPage } from '../../src/surfaces/pages/site/discussion-view.tsx'
import { lecturePage } from '../../src/surfaces/pages/site/lectures.tsx'
import { harbor, hostileName, school, student } from './sample-people.ts'
import { sampleCourse } from './sample-site-pages.ts'

const timeZone = 'Asia/Taipei'
const day = (text: string) => new Date(`${text}Z`)
const body = '# Narrowing\n\nA `typeof` check is **enough**.\n\n- one\n- two'

const arabic =
  '# أنواع البيانات\n\nكل قيمة لها **نوع**، مثل `string` أو `number`.\n\n- أولاً\n- ثانياً\n\n> اقتباس قصير'

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
  expiresAt: day('2027-02-02T08:30'),
  lastWatched: null,
  lastVideoUrl: null,
  readAt: day('2026-11-10T08:30'),
}

const sections = [{ id: '01981c5e-7c00-7000-8000-0000000b0012', title: 'Types', lectures }]
const progress = { completedLectures: 1, totalLectures: 3, percent: 33 }
const { id, slug, title } = enrollment

const content: LectureContent = {
  body,
  html: renderMarkdown(body),
  kind: 'text',
  videoUrl: null,
  file: null,
  positionSeconds: 0,
}

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
    content,
  }
}

const learner = { ...place(1).course, learner: { enrollment, progress } }
const frame = { school, here: '/courses/typescript/lectures/1', timeZone, videoHosts: [] }
const locked = { isLocked: true, unlockAt: null }

const details = {
  ...sampleCourse,
  id,
  slug,
  cover: null,
  createdAt: enrollment.createdAt,
  outlineVersion: 1,
  isPublic: true,
  publishedAt: enrollment.createdAt,
}

const asVisitor = lectures.map((lecture) => ({
  ...lecture,
  state: 'unread' as const,
  isLocked: !lecture.isPreview,
}))
const dripped = { isLocked: true, unlockAt: day('2026-12-05T10:00') }
const ahead = sections.map((section) => ({
  ...section,
  lectures: lectures.map((lecture, n) => (n === 2 ? { ...lecture, ...dripped } : lecture)),
}))

const comment = (n: number, change: Partial<ShownComment> = {}): ShownComment => ({
  id: `01981c5e-7c00-7000-8000-0000000b01${10 + n}`,
  name: 'Ada Lovelace',
  avatarUrl: null,
  body: 'Is a guard *always* enough?\n\nSee https://www.typescriptlang.org/docs/handbook/2/narrowing.html.',
  createdAt: day('2026-11-09T08:30'),
  isOwn: false,
  isByStaff: false,
  isHidden: false,
  ...change,
})
const answers = [
  comment(1, { name: 'Grace Hopper', isByStaff: true, body: 'Until the value can change.' }),
  comment(2, { name: hostileName, body: 'ليس دائمًا'.repeat(40) }),
]
const discussion: Discussion = {
  lectureId: lectures[1]?.id ?? '',
  isFirst: true,
  isStaff: false,
  newId: comment(0).id,
  next: enrollment.key,
  comments: [
    { ...comment(3, { isOwn: true }), answers, hasMoreAnswers: true },
    { ...comment(4, { body: null, name: '' }), answers: answers.slice(1), hasMoreAnswers: false },
  ],
}
const hidden = comment(6, { isHidden: true, body: 'Buy this' })
const thread: Thread = {
  comment: comment(5),
  answers: { comments: [...answers, hidden], next: enrollment.key },
  isFirst: false,
}

export const sampleLecturePages: Record<string, string> = {
  course: coursePage({
    ...frame,
    here: '/courses/typescript',
    details: { ...details, lecturers: [...details.lecturers, { name: hostileName, headline: '' }] },
    coverUrl: '/logo.svg',
    viewed: { id, slug, title, sections: [{ id, title: 'The type system', lectures: asVisitor }] },
  }),
  'course-of-mine': coursePage({
    ...frame,
    here: '/courses/typescript',
    viewer: student,
    details,
    viewed: { ...learner, sections: ahead },
  }),
  'course-without-anything': coursePage({
    ...frame,
    school: harbor,
    here: '/courses/typescript',
    details: { ...details, title: hostileName, description: '', lecturers: [], summary: '' },
    viewed: { id, slug, title, sections: [] },
  }),
  'lecture-free': lecturePage({ ...frame, ...place(0) }),
  lecture: lecturePage({ ...frame, ...place(1), course: learner, viewer: student }),
  'lecture-with-comments': lecturePage({
    ...frame,
    ...place(1),
    course: learner,
    viewer: student,
    discussion,
  }),
  'lecture-without-comments': lecturePage({
    ...frame,
    ...place(1, locked),
    content: undefined,
    viewer: student,
    discussion: { ...discussion, comments: [], isStaff: true, next: undefined },
  }),
  'comment-with-answers': discussionPage({
    ...frame,
    opened: place(1),
    viewer: student,
    isStaff: true,
    thread,
    form: { newId: comment(0).id },
  }),
  'comment-refused': discussionPage({
    ...frame,
    opened: place(1),
    viewer: student,
    isStaff: false,
    thread: undefined,
    form: { newId: comment(0).id, typed: ' ', problem: 'Write at least one visible character.' },
  }),
  'lecture-film': lecturePage({
    ...frame,
    ...place(1),
    course: learner,
    viewer: student,
    content: { ...content, kind: 'video', videoUrl: '/film.mp4', positionSeconds: 760 },
    player: { kind: 'file', url: '/film.mp4', origin: "'self'" },
  }),
  'lecture-arabic': lecturePage({
    ...frame,
    ...place(2),
    course: { ...learner, title: 'מבוא לציור בדיו — שיעור 3' },
    viewer: student,
    content: { ...content, body: arabic, html: renderMarkdown(arabic) },
  }),
  'lecture-completed': lecturePage({
    ...frame,
    ...place(2, { state: 'completed', title: hostileName }),
    school: harbor,
    course: learner,
    viewer: student,
    content: { ...content, body: '', html: '' },
    notice: 'This lecture is completed.',
  }),
  'lecture-free-video-link': lecturePage({
    ...frame,
    ...place(0),
    content: { ...content, kind: 'video', videoUrl: 'https://films.example/watch/42' },
  }),
  'lecture-free-file': lecturePage({
    ...frame,
    ...place(0),
    content: {
      ...content,
      kind: 'file',
      body: '',
      file: { id, name: `${hostileName}.pdf`, sizeBytes: 2_400_000 },
    },
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
