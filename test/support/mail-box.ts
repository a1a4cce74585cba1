import { EventEmitter, once } from 'node:events'
import { vi } from 'vitest'
import { MailSender } from '../../src/surfaces/pages/mails/mail-sender.ts'
import { eventually } from './eventually.ts'
import { type MailServer, quickMailServer } from './mail-server.ts'
import { type MimeMail, readMime } from './mime.ts'
import type { World } from './world.ts'

export interface ReceivedMail extends MimeMail {
  readonly to: string
}

export interface MailBox {
  /** The value for `SMTP_URL`. */
  readonly url: string
  /**
   * Takes the next mail to this person that contains these words, and waits for it if there is
   * none.
   */
  take(to: string, words?: string): Promise<ReceivedMail>
  /** The mails to this person that are not taken yet. */
  waitingFor(to: string): readonly ReceivedMail[]
}

/**
 * Waits until every mail that was asked for is sent or dropped, also one that no page of this
 * server queued.
 */
export async function untilSent(world: World): Promise<void> {
  const waiting = async () =>
    (await world.database.pool.query('select 1 from outgoing_mails')).rows.length
  if ((await waiting()) === 0) return
  const { mailer } = world.context
  if (mailer !== undefined) new MailSender(world.context, mailer, world.app.log).wake()
  await vi.waitFor(async () => {
    const mails = await waiting()
    if (mails > 0) throw new Error(`${mails} mails wait`)
  }, eventually)
}

/** A mail server that keeps its mails. */
export async function aMailBox(server: MailServer = quickMailServer): Promise<MailBox> {
  const kept: ReceivedMail[] = []
  const post = new EventEmitter().setMaxListeners(0)
  const port = await server(({ to, raw }) => {
    const mail = readMime(raw)
    for (const address of to) kept.push({ to: address, ...mail })
    post.emit('mail')
  })
  return {
    url: `smtp://127.0.0.1:${port}`,
    async take(to, words = '') {
      for (;;) {
        const place = kept.findIndex((mail) => mail.to === to && mail.text.includes(words))
        const [mail] = place === -1 ? [] : kept.splice(place, 1)
        if (mail !== undefined) return mail
        await once(post, 'mail')
      }
    },
    waitingFor: (to) => kept.filter((mail) => mail.to === to),
  }
}
