import type { ServiceSketch, StudyGroupSketch } from './school-content.ts'

export const demoServices: readonly ServiceSketch[] = [
  {
    key: 'code-review-hour',
    title: 'Code Review Hour',
    description: 'Bring a pull request of your own; leave with three concrete next steps.',
    host: 'lecturer-one',
    courses: ['practical-typescript'],
    slots: [
      { weekday: 2, time: '19:30', minutes: 60, capacity: 3 },
      { weekday: 4, time: '12:00', minutes: 30, capacity: 1 },
      { weekday: 6, time: '10:00', minutes: 60, capacity: 3 },
    ],
  },
  {
    key: 'database-office-hours',
    title: 'Database Office Hours',
    description: 'Schemas, slow queries and migrations, one question at a time.',
    host: 'lecturer-two',
    courses: ['sql-from-the-ground-up', 'practical-typescript'],
    slots: [
      { weekday: 3, time: '20:00', minutes: 30, capacity: 1 },
      { weekday: 5, time: '18:00', minutes: 30, capacity: 1 },
    ],
  },
  {
    key: 'speech-rehearsal',
    title: 'Speech Rehearsal',
    description: 'Ten minutes of yours, twenty minutes of feedback.',
    host: 'lecturer-three',
    courses: ['speaking-with-ease'],
    slots: [{ weekday: 1, time: '17:30', minutes: 45, capacity: 2 }],
  },
  {
    key: 'chart-clinic',
    title: 'Chart Clinic',
    description: 'Your chart, redrawn together.',
    host: 'lecturer-two',
    courses: ['telling-stories-with-data'],
    slots: [
      { weekday: 1, time: '12:30', minutes: 30, capacity: 1 },
      { weekday: 4, time: '19:00', minutes: 30, capacity: 2 },
    ],
  },
  {
    key: 'mixing-desk',
    title: 'At the Mixing Desk',
    description: 'Paused while the studio is rebuilt.',
    host: 'lecturer-one',
    courses: ['home-recording'],
    slots: [{ weekday: 7, time: '15:00', minutes: 60, capacity: 2 }],
    paused: true,
  },
  {
    key: 'critique-table',
    title: 'Critique Table',
    description: 'For painters: three sheets, one hour.',
    host: 'lecturer-three',
    // Ada's access to this course has ended, and with it the offer.
    courses: ['watercolor-landscapes'],
    slots: [{ weekday: 6, time: '14:00', minutes: 60, capacity: 3 }],
  },
]

export const demoStudyGroups: readonly StudyGroupSketch[] = [
  {
    key: 'typescript-evening-circle',
    name: 'TypeScript Evening Circle',
    course: 'practical-typescript',
    weekday: 4,
    time: '20:00',
    minutes: 90,
    weeks: [-18, 8, 1],
    members: ['ada', 'student-01', 'student-02', 'student-03', 'student-04', 'student-05'],
  },
  {
    key: 'sql-reading-group',
    name: 'SQL Reading Group',
    course: 'sql-from-the-ground-up',
    // At the hour of the database office hours: two rows with one start, which lists must order.
    weekday: 3,
    time: '20:00',
    minutes: 60,
    weeks: [-16, 6, 2],
    members: ['ada', 'student-03', 'student-07', 'student-08'],
  },
  {
    key: 'chart-club',
    name: 'Chart Club',
    course: 'telling-stories-with-data',
    weekday: 2,
    time: '18:30',
    minutes: 60,
    weeks: [-6, 4, 1],
    members: ['ben', 'student-10', 'student-11', 'student-12'],
  },
  {
    key: 'tone-circle',
    name: 'Tone Circle',
    course: 'mandarin-pronunciation-clinic',
    weekday: 6,
    time: '09:00',
    minutes: 45,
    weeks: [-4, 3, 1],
    members: ['student-13', 'student-14', 'student-15'],
  },
]
