import { describe, expect, test } from 'vitest'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { enterCode, enterPassword, switchOn } from '../../support/authenticator.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { aWorld, type TestPerson } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const school = await world.aSchool()
const PAGE = '/account/second-factor'

async function subjectsTo({ email }: TestPerson): Promise<readonly string[]> {
  await untilSent(world)
  return mailBox.waitingFor(email).map(({ text }) => text)
}

describe('a mail tells the person', () => {
  test('that the second factor was switched on, that a recovery code was used, that there are new ones, and that it is off', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const { recoveryCodes } = await switchOn(visitor)
    await mailBox.take(ada.email, 'An authenticator app was added to your account')
    const step = await enterPassword(visitor, ada)
    await enterCode(visitor, step, recoveryCodes[0] ?? '')
    await mailBox.take(ada.email, 'one of its recovery codes')
    await submit(visitor, PAGE, `${PAGE}/codes`)
    await mailBox.take(ada.email, 'New recovery codes were made')
    await submit(visitor, PAGE, `${PAGE}/off`)
    await mailBox.take(ada.email, 'no longer asks for the code')
    // Nothing was changed, so there is nothing to tell.
    const { form_token = '' } = hiddenFields((await visitor.get(PAGE)).body, '/sign-out')
    await mailBox.take(ada.email, 'a browser that is new')
    await visitor.post(`${PAGE}/off`, { form_token })
    expect(await subjectsTo(ada)).toEqual([])
  })

  test('and its link removes an authenticator that a thief added, which would lock the person out', async () => {
    const ada = await world.aMember(school)
    const thief = await signedIn(world, school, ada)
    await switchOn(thief)
    const { text } = await mailBox.take(ada.email, 'An authenticator app was added')
    const [, link = ''] = new RegExp(`${school.origin}(/not-me\\?token=\\S+)`).exec(text) ?? []
    const person = new Visitor(world, school)
    await submit(person, link, '/not-me')
    const left = await world.database.db
      .selectFrom('authenticators')
      .select('user_id')
      .where('user_id', '=', ada.id)
      .execute()
    expect(left).toEqual([])
  })
})
