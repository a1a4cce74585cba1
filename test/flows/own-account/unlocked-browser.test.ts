import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hiddenFields } from '../../support/browser-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { signedIn } from '../../support/operator-like.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'
import { aWorld } from '../../support/world.ts'

const forms: string[] = []
const world = await aWorld({
  files: await temporaryFiles(),
  onRoute: ({ method, url }) => {
    if (url.startsWith('/account') && [method].flat().includes('POST')) forms.push(url)
  },
})

/** The forms of an account that ask for no recent proof, each with the reason. */
const WITHOUT_PROOF = {
  '/account/apps/end': 'takes access away',
  '/account/bookings/:id': 'moves or gives back one place, and the audit log says who did',
  '/account/calendar/off': 'takes access away',
  '/account/delete/cancel': 'keeps what there is',
  '/account/email/cancel': 'keeps what there is',
  '/account/inbox/:id/read': 'marks a message',
  '/account/inbox/:id/unread': 'marks a message',
  '/account/inbox/read-all': 'marks messages',
  '/account/lost-factor': 'asks for the password, waits a week and tells the person every day',
  '/account/lost-factor/cancel': 'keeps what there is',
  '/account/notifications': 'chooses between mail and inbox',
  '/account/password': 'asks for the password, and for a code first where there is a second factor',
  '/account/profile': 'changes a name that is no secret',
  '/account/profile/picture': 'changes a picture that is no secret',
}

test('a thief at a browser that was left open sends each form of the account: each asks for a proof, or has a reason here', async () => {
  const school = await world.aSchool()
  const person = await world.aMember(school)
  const visitor = await signedIn(world, school, person)
  await ageProof(world, person)
  const ours = hiddenFields((await visitor.get('/account')).body, '/sign-out')
  const typed = {
    part: 'account',
    new_email: 'thief@people.test',
    name: 'Thief',
    session: randomUUID(),
  }
  const unasked: string[] = []
  for (const form of forms) {
    const path = form.replace(/:\w+/, randomUUID())
    const answer = await visitor.post(path, { ...ours, ...typed })
    const asks =
      String(answer.headers.location).startsWith('/confirm?') ||
      answer.body.includes('Confirm that it is you')
    if (!asks) unasked.push(form)
  }
  expect(forms.length).toBeGreaterThan(10)
  expect(unasked.sort()).toEqual(Object.keys(WITHOUT_PROOF))
})
