import type { SchoolContent } from './content/school-content.ts'
import type { DemoClock } from './demo-clock.ts'
import { demoId } from './demo-id.ts'
import type { RowSet } from './row-set.ts'
import { demoSchools } from './schools.ts'
import type { Stage } from './stage.ts'
import { varietyOf } from './variety.ts'

/** The password of everyone who can sign in; the demo world is refused in production. */
export const DEMO_PASSWORD = 'schoolgate-demo'

/** The people who can sign in. Classmates and lecturers have no password. */
export const namedPeople = [
  { key: 'owner', name: 'Demo Owner' },
  { key: 'admin', name: 'Demo Admin' },
  { key: 'ada', name: 'Ada Demo' },
  { key: 'ben', name: 'Ben Demo' },
] as const

export function personId(key: string): string {
  return demoId(`person/${key}`)
}

export function emailOf(key: string): string {
  return `${key}@demo.test`
}

export function classmatesOf({ classmates: [first, last] }: SchoolContent): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => studentKey(first + i))
}

/** The members of a school with their roles. */
export function rolesAt(school: SchoolContent): ReadonlyMap<string, readonly string[]> {
  const classmates = classmatesOf(school)
  const isDemo = school.key === 'demo'
  return new Map<string, readonly string[]>([
    ['owner', ['owner']],
    ...(isDemo ? [['admin', ['admin']] as const] : []),
    ['ada', ['student']],
    ...(isDemo ? [['ben', ['student']] as const] : []),
    ...school.lecturers.map(({ key }) => [key, ['lecturer']] as const),
    ...classmates.map((key) => [key, ['student']] as const),
    // A member who left: the row stays, without a role.
    [classmates.at(-1) ?? studentKey(1), []],
  ])
}

export function addPeople(rows: RowSet, clock: DemoClock, passwordHash: string): void {
  for (const { key, name } of namedPeople) {
    rows.add('users', {
      ...person(key, name, key, clock),
      password_hash: passwordHash,
      password_changed_at: clock.at(-1300),
    })
  }
  for (const key of new Set(demoSchools.flatMap(classmatesOf))) {
    rows.add('users', person(key, titled(key), 'student', clock))
  }
  for (const { key } of demoSchools.flatMap((school) => school.lecturers)) {
    rows.add('users', person(key, titled(key), 'lecturer', clock))
  }
}

export function addMembers({ school, schoolId, clock, rows }: Stage): void {
  const variety = varietyOf(`${school.key}/members`)
  for (const [key, roles] of rolesAt(school)) {
    const daysAgo = key.startsWith('student') ? variety.integer(205, 420) : 1250
    rows.add('school_members', {
      school_id: schoolId,
      user_id: personId(key),
      roles: [...roles],
      joined_at: clock.at(-daysAgo, `0${variety.integer(1, 9)}:00`),
      // People of the demo world count as having signed in, also those without a password: all have names and pictures.
      signed_in_at: clock.at(-daysAgo, '12:00'),
    })
  }
  for (const { key, headline, bio } of school.lecturers) {
    const created_at = clock.at(-1250)
    rows.add('lecturers', {
      school_id: schoolId,
      user_id: personId(key),
      headline,
      bio,
      created_at,
    })
  }
}

function person(key: string, name: string, picture: string, clock: DemoClock) {
  return {
    id: personId(key),
    email: emailOf(key),
    name,
    // A path without an origin: every origin serves these pictures.
    avatar_url: `/assets/avatars/${picture}.svg`,
    created_at: clock.at(-1300),
  }
}

function studentKey(number: number): string {
  return `student-${String(number).padStart(2, '0')}`
}

/** `lecturer-one` is called Lecturer One. */
function titled(key: string): string {
  return key.replaceAll('-', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
