import { expect, test } from 'vitest'
import { setPersonRoles } from '../../../src/domain/people/person-operations.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn } from '../../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../../support/performing.ts'
import { aWorld } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const MAIL = 'See the members'

async function aStage() {
  const school = await world.aSchool()
  const [olive, paul] = [
    await world.aMember(school, ['owner']),
    await world.aMember(school, ['owner']),
  ]
  const ben = await world.aMember(school)
  const browser = new AdminBrowser(await signedIn(world, school, olive))
  return { school, olive, paul, ben, browser }
}

test('every owner is told by mail who became an admin, and by whom', async () => {
  const { school, olive, paul, ben, browser } = await aStage()
  await browser.done(`/admin/members/${ben.id}/edit`, { roles: ['admin', 'student'] })
  for (const owner of [olive, paul]) {
    await untilSent(world)
    const { text } = await mailBox.take(owner.email, MAIL)
    expect(text).toContain(`${ben.name} is now an admin.`)
    expect(text).toContain(`It was done by ${olive.name}.`)
    expect(text).toContain(`${school.origin}/admin/members`)
  }
})

test('a thief who removes an owner cannot do it in silence, by whatever way', async () => {
  const { school, olive, paul, browser } = await aStage()
  await browser.done(`/admin/members/${paul.id}/edit`, { roles: ['student'] })
  for (const owner of [olive, paul]) {
    await untilSent(world)
    const { text } = await mailBox.take(owner.email, MAIL)
    expect(text).toContain(`${paul.name} is no longer an owner.`)
  }
  outputOf(await performByCommandLine(school, setPersonRoles, { id: paul.id, roles: ['owner'] }))
  await untilSent(world)
  const { text } = await mailBox.take(olive.email, MAIL)
  expect(text).toContain(`${paul.name} is now an owner.`)
  expect(text).toContain('The administrator of this server did it.')
})

test('no mail is sent about roles that run no school, or to an owner who never signed in', async () => {
  const { school, olive, ben, browser } = await aStage()
  const fresh = await world.aPerson()
  await school.db.insert('school_members', { user_id: fresh.id, roles: ['owner'] }).execute()
  await browser.done(`/admin/members/${ben.id}/edit`, { roles: ['lecturer', 'student'] })
  await browser.done(`/admin/members/${ben.id}/edit`, { roles: ['admin'] })
  await untilSent(world)
  await mailBox.take(olive.email, MAIL)
  await untilSent(world)
  const more = mailBox.waitingFor(olive.email).filter(({ text }) => text.includes(MAIL))
  expect(more).toEqual([])
  expect(mailBox.waitingFor(fresh.email)).toEqual([])
})
