import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { MAILS } from '../../../domain/people/mails/all-mails.ts'
import { type DecidedMail, decideMail } from '../../../domain/people/mails/decide-mail.ts'
import type { MailBlock } from '../../../domain/people/mails/mail-words.ts'
import {
  dropMail,
  postponeMails,
  type QueuedMail,
  takeMail,
} from '../../../domain/people/outgoing-mail.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { Db } from '../../../foundation/db/database.ts'
import { atSchool } from '../../../foundation/db/school-db.ts'
import type { Mail, Mailer } from '../../../foundation/mail/mailer.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { mailPage } from './mail-page.tsx'

/**
 * Mails that a process sends at once, in all and of one school: a school with many must not hold up
 * the others.
 */
const AT_ONCE = 8
const OF_ONE_SCHOOL = 2
/** How often a listening server looks for mails that failed, or that a dead process left. */
const LOOK_SECONDS = 60
const CLOSING_MS = 3000

/** Sends queued mails. A mail that fails is tried again until it is too old. */
export class MailSender {
  readonly #db: Db
  readonly #keyring: Keyring
  readonly #mailer: Mailer
  readonly #log: FastifyBaseLogger
  /** The school of each mail that is being sent. */
  readonly #sending = new Map<Promise<void>, string>()
  #taking: Promise<void> | undefined
  #isTaking = false
  /** Whether there may be mails that no look at the queue has seen. */
  #isWoken = false
  /** Whether the last look leaves out schools that were busy. */
  #hasLeftOut = false
  #isClosing = false

  constructor(context: AppContext, mailer: Mailer, log: FastifyBaseLogger) {
    this.#db = context.db
    this.#keyring = context.keyring
    this.#mailer = mailer
    this.#log = log
  }

  /**
   * Debounced: calls while the queue is read lead to one more look. Call it after the answer: the
   * time of the mail server, and of finding the account, must not show there.
   */
  wake(): void {
    this.#isWoken = true
    if (!this.#isTaking) this.#taking = this.#takeAll()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const timeout = new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())
    const finished = async () => {
      await this.#taking
      await Promise.all(this.#sending.keys())
    }
    await Promise.race([finished(), timeout])
  }

  /** One look at a time, so that each knows which schools are busy. */
  async #takeAll(): Promise<void> {
    this.#isTaking = true
    try {
      while (this.#isWoken && !this.#isClosing && this.#sending.size < AT_ONCE) {
        this.#isWoken = false
        const busy = this.#busySchools()
        // Before the look: a mail that is sent during it makes a school free that the look leaves
        // out.
        this.#hasLeftOut = busy.length > 0
        const mail = await takeMail(this.#db, [...MAILS.keys()], busy)
        if (mail === undefined) continue
        this.#isWoken = true
        const sending = this.#send(mail).finally(() => {
          this.#sending.delete(sending)
          if (this.#isWoken || this.#hasLeftOut) this.wake()
        })
        this.#sending.set(sending, mail.schoolId)
      }
    } catch (error) {
      this.#log.error({ err: error }, 'Queued mails could not be read. They are tried again.')
    } finally {
      this.#isTaking = false
    }
  }

  #busySchools(): string[] {
    const mails = new Map<string, number>()
    for (const school of this.#sending.values()) mails.set(school, (mails.get(school) ?? 0) + 1)
    return [...mails].flatMap(([school, many]) => (many >= OF_ONE_SCHOOL ? school : []))
  }

  async #send(queued: QueuedMail): Promise<void> {
    const { kind, schoolId, attempts } = queued
    const db = atSchool(this.#db, schoolId)
    try {
      const decided = await decideMail(db, this.#keyring, queued)
      if (typeof decided === 'object' && 'kind' in decided) {
        return await postponeMails(db, queued, decided.seconds)
      }
      if (decided === 'school_limit') {
        this.#log.warn({ schoolId }, 'A school sent too many mails in an hour. One was dropped.')
      } else if (decided !== 'none') await this.#mailer.send(writeMail(decided))
      await dropMail(db, queued.id)
    } catch (error) {
      this.#log.error({ err: error, kind, schoolId, attempts }, 'An email could not be sent.')
    }
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by a request that may have queued a mail: it is sent once the answer is out. */
    queuedMail: boolean
  }
}

/** Starts sending for this application. Without a mail server, queued mails expire. */
export function addMailSender(app: FastifyInstance, context: AppContext): void {
  app.decorateRequest('queuedMail', false)
  const { mailer } = context
  if (mailer === undefined) return
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
  app.addHook('onResponse', async (request) => {
    if (request.queuedMail) sender.wake()
  })
}

/** The name of a person becomes one line of plain text, so it cannot add lines to the email. */
function writeMail({ to, name: givenName, school, words }: DecidedMail): Mail {
  const { subject, blocks } = words
  const name = plainText(givenName ?? '')
  const greeting = name === '' ? 'Hello,' : `Hello ${name},`
  return {
    to,
    subject,
    text: `${[greeting, ...blocks.map(asText)].join('\n\n')}\n`,
    html: mailPage({ subject, greeting, blocks, school }),
  }
}

function asText(block: MailBlock): string {
  if (block.kind === 'paragraph') return block.text
  if (block.kind === 'button') return `${block.label}:\n${block.url}`
  return block.links.map(({ label, url }) => `${label}: ${url}`).join('\n')
}
