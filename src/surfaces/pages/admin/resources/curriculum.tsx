import {
  changeLecture,
  createLecture,
  listLectures,
  readLecture,
  removeLecture,
} from '../../../../domain/learning/lecture-operations.ts'
import {
  changeSection,
  createSection,
  listSections,
  readSection,
  removeSection,
} from '../../../../domain/learning/section-operations.ts'
import { lengthInWords } from '../../frame/words.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, inWords, momentOf, number, state, text } from '../crud/object-table.tsx'
import { defineResource, deleting, type Link, rowsBy } from '../crud/resource.ts'
import type { Show } from '../crud/row.ts'

export function durationOf({ duration_seconds: seconds }: { readonly duration_seconds: number }) {
  return lengthInWords(seconds)
}

interface Unlocking {
  readonly unlock_after_days: number | null
  readonly unlock_at: string | null
}

/** When students may open a lecture. */
export const openingOf: Show<Unlocking> = ({ unlock_after_days: days, unlock_at }, place) => {
  if (days !== null) return `After ${days} ${days === 1 ? 'day' : 'days'}`
  return momentOf(unlock_at, place) ?? 'From the start'
}

/** The page where sections and lectures are put in order. */
export function curriculumPath(courseId: string): string {
  return `/admin/courses/${courseId}/curriculum`
}

interface InCourse {
  readonly id: string
  readonly course_id: string
}

const up = ({ course_id }: InCourse): Link => ({
  url: curriculumPath(course_id),
  label: 'Curriculum',
})

const home = ({ course_id, id }: InCourse) => `${curriculumPath(course_id)}#at-${id}`

const lectureList = listPlan({
  operation: listLectures,
  columns: [
    { label: 'Title', show: text('title') },
    { label: 'Kind', show: (lecture) => inWords(lecture.kind) },
    { label: 'Length', show: durationOf },
    { label: 'Opens', show: openingOf },
  ],
  sorts: [['position', 'As students see them']],
})

export const lectures = defineResource({
  path: 'lectures',
  menu: '/admin/courses',
  one: 'lecture',
  many: 'Lectures',
  read: readLecture,
  name: (lecture) => lecture.title,
  badges: state('kind'),
  facts: [
    { label: 'Video', show: address('video_url') },
    { label: 'Length', show: durationOf },
    { label: 'Opens', show: openingOf },
  ],
  markdown: { title: 'Text', member: 'body', isKept: true },
  fields: [
    { name: 'title', label: 'Title' },
    { name: 'kind', label: 'Kind' },
    {
      name: 'duration_seconds',
      label: 'Length',
      kind: 'duration',
    },
    {
      name: 'video_url',
      label: 'Address of the video',
      hint: 'For the kind video: https://… It plays on the page if its host is in Settings, and is a link otherwise.',
    },
    { name: 'body', label: 'Text', kind: 'markdown', hint: 'Markdown.' },
    {
      name: 'is_preview',
      label: 'Free preview',
      hint: 'Visitors can look at it before they buy the course.',
    },
    {
      name: 'unlock_after_days',
      label: 'Opens so many days after the enrollment',
      hint: 'Or give a date below. With neither it is open from the start.',
      meansWith: ['unlock_at'],
    },
    { name: 'unlock_at', label: 'Opens at', meansWith: ['unlock_after_days'] },
  ],
  uploads: [
    {
      path: 'file',
      title: 'File',
      hint: 'For the kind file: what students download.',
      field: 'file_id',
    },
  ],
  create: createLecture,
  change: changeLecture,
  actions: [
    deleting('lecture', removeLecture, {
      consequence:
        'It is deleted for good, with what students did in it and the comments under it.',
      confirmsName: true,
    }),
  ],
  up,
  home,
})

export const sectionList = listPlan({
  operation: listSections,
  columns: [
    { label: 'Title', show: text('title') },
    { label: 'Lectures', show: number('lecture_count') },
  ],
  sorts: [['position', 'As students see them']],
})

export const sections = defineResource({
  path: 'sections',
  menu: '/admin/courses',
  one: 'section',
  many: 'Sections',
  read: readSection,
  name: (section) => section.title,
  facts: [],
  fields: [{ name: 'title', label: 'Title' }],
  create: createSection,
  change: changeSection,
  changeLabel: 'Rename',
  actions: [
    deleting('section', removeSection, {
      consequence:
        'It is deleted for good with all of its lectures, and what students did in them.',
      confirmsName: true,
    }),
  ],
  related: [
    {
      path: 'lectures',
      title: 'Lectures',
      of: lectures,
      rows: rowsBy('section_id', lectureList),
      add: 'Add a lecture',
      empty: 'There is no lecture in it yet.',
    },
  ],
  up,
  home,
})
