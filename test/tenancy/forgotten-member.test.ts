import { beforeAll, describe, expect, test } from 'vitest'
import { readAudit } from '../../src/domain/audit/read-audit.ts'
import { leaveSchool } from '../../src/domain/people/deletion/leave-school.ts'
import { findPeople } from '../../src/domain/people/find-people.ts'
import {
  changeMember,
  createMember,
  listMembers,
} from '../../src/domain/people/member-operations.ts'
import { everythingAbout } from '../support/everything-about.ts'
import { finishJobs } from '../support/jobs.ts'
import { signedIn } from '../support/operator-like.ts'
import { outputOf, Performer, performByCommandLine as perform } from '../support/performing.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await aWorld()
let school: TestSchool
let ada: TestPerson

beforeAll(async () => {
  school = await world.aSchool()
  ada = await world.aMember(school)
  await everythingAbout(world, school, ada, 'Mark')
  await signedIn(world, school, ada)
  const by = { via: 'account', userId: ada.id } as const
  await school.db.transaction((tx) => leaveSchool(tx, ada.id, by))
  await finishJobs(world)
})

describe('a school that a person has left', () => {
  test('finds them in no page, by no link and in no list', async () => {
    const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
    const pages = [
      `/admin/members/${ada.id}`,
      `/admin/students/${ada.id}`,
      '/admin/members',
      '/admin/payments',
      '/admin/orders',
      '/admin/comments',
      '/admin/audit',
      `/admin/members?search=${encodeURIComponent(ada.email)}`,
    ]
    for (const path of pages) {
      const { body } = await owner.get(path)
      // A search repeats what was typed.
      const shown = body.replaceAll(`value="${ada.email}"`, '')
      expect(shown.includes(ada.name), path).toBe(false)
      if (!path.includes('search=')) expect(shown.includes(ada.email), path).toBe(false)
    }
  })

  test('finds nothing by the name or the email, in searches and in the filter of the audit', async () => {
    for (const text of [ada.name, ada.email, ada.email.slice(0, 6)]) {
      expect(await findPeople(school.db, text, 10), text).toEqual([])
    }
    const page = await readAudit(school.db, { actorEmail: ada.email }, { limit: 10 })
    expect(page.entries).toEqual([])
  })

  test('cannot give a role to the bare id', async () => {
    const refused = await perform(school, changeMember, { id: ada.id, roles: ['student'] })
    expect(refused.kind).toBe('not_found')
  })

  test('that adds the email again sees the name that it typed, until the person signs in', async () => {
    const typed = { email: ada.email, name: 'Typed again', roles: ['student' as const] }
    outputOf(await perform(school, createMember, typed))
    const shown = async () => {
      const { data } = await new Performer(school, ada).does(listMembers, { email: ada.email })
      return (data as { name: string; picture_url: string }[]).map(({ name, picture_url }) => ({
        name,
        picture_url,
      }))
    }
    expect(await shown()).toEqual([{ name: 'Typed again', picture_url: null }])
    await signedIn(world, school, ada)
    expect(await shown()).toMatchObject([{ name: ada.name }])
  })
})
