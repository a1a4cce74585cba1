import { expect, test, vi } from 'vitest'
import { passwordChangedMail } from '../../../src/domain/people/mails/password-mails.ts'
import { queueMail } from '../../../src/domain/people/outgoing-mail.ts'
import { MailSender } from '../../../src/surfaces/pages/mails/mail-sender.ts'
import { eventually } from '../../support/eventually.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const sent: string[] = []
const mailer = { send: async ({ to }: { to: string }) => void sent.push(to) }

test('many mails of one school, two at a time, are all sent after one call', async () => {
  const members = await Promise.all(Array.from({ length: 150 }, () => world.aMember(school)))
  for (const { email } of members) await queueMail(school.db, passwordChangedMail, email, {})
  const sender = new MailSender(world.context, mailer, world.app.log)
  sender.wake()
  await vi.waitFor(() => expect(sent).toHaveLength(members.length), eventually)
  await sender.close()
  expect(new Set(sent)).toEqual(new Set(members.map(({ email }) => email)))
})
