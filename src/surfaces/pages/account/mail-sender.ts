import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { dropMail, type QueuedMail, takeMail } from '../../../domain/people/outgoing-mail.ts'
import { decideMail } from '../../../domain/people/send-mail.ts'
import type { Db } from '../../../foundation/db/database.ts'
import type { Mailer } from '../../../foundation/mail/mailer.ts'
import type { AppContext } from '../../../gate/context.ts'
import { writeMail } from './mail-words.ts'

/** Mails that a process sends at once; a slow mail server must not hold up all others behind one. */
const AT_ONCE = 4
/** How often a listening server looks for mails that failed, or that a dead process left. */
const LOOK_SECONDS = 60
const CLOSING_MS = 3000

/** Sends queued mails. A mail that fails is tried again until it is too old. */
export class MailSender {
  readonly #db: Db
  readonly #throttleKey: Buffer
  readonly #mailer: Mailer
  readonly #log: FastifyBaseLogger
  readonly #running = new Set<Promise<void>>()
  #isClosing = false

  constructor(context: AppContext, mailer: Mailer, log: FastifyBaseLogger) {
    this.#db = context.db
    this.#throttleKey = context.keyring.key('sign-in-throttle')
    this.#mailer = mailer
    this.#log = log
  }

  /** Call it after the answer: the time of the mail server, and of finding the account, must not show there. */
  wake(): void {
    if (this.#isClosing || this.#running.size >= AT_ONCE) return
    const round = this.#sendAll().catch((error: unknown) => {
      this.#log.error({ err: error }, 'Queued mails could not be read. They are tried again.')
    })
    this.#running.add(round)
    round.finally(() => this.#running.delete(round))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const timeout = new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())
    await Promise.race([Promise.all(this.#running), timeout])
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const mail = this.#isClosing ? undefined : await takeMail(this.#db)
      if (mail === undefined) return
      await this.#send(mail)
    }
  }

  async #send(queued: QueuedMail): Promise<void> {
    try {
      const facts = await decideMail(this.#db, this.#throttleKey, queued)
      if (facts !== undefined) await this.#mailer.send(writeMail(facts))
      await dropMail(this.#db, queued.id)
    } catch (error) {
      const { kind, schoolId, attempts } = queued
      this.#log.error({ err: error, kind, schoolId, attempts }, 'An email could not be sent.')
    }
  }
}

/** Route options that send what the request queued, once its answer is out. */
export interface AfterAnswer {
  readonly onResponse: () => Promise<void>
}

/** Starts sending for this application. Without a mail server, queued mails expire. */
export function addMailSender(app: FastifyInstance, context: AppContext): AfterAnswer {
  const { mailer } = context
  if (mailer === undefined) return { onResponse: async () => {} }
  const sender = new MailSender(context, mailer, app.log)
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    timer = setInterval(() => sender.wake(), LOOK_SECONDS * 1000).unref()
    sender.wake()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await sender.close()
  })
  return { onResponse: async () => sender.wake() }
}
