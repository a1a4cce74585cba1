import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { countNews, newsMail } from '../../../domain/notifications/news-mail.ts'
import { dropNews, queueNews } from '../../../domain/notifications/queue-news.ts'
import { MAILS } from '../../../domain/people/mails/all-mails.ts'
import { type DecidedMail, decideMail } from '../../../domain/people/mails/decide-mail.ts'
import type { MailKind } from '../../../domain/people/mails/define-mail.ts'
import type { MailBlock } from '../../../domain/people/mails/mail-words.ts'
import {
  dropMail,
  postponeMails,
  type QueuedMail,
  takeMail,
} from '../../../domain/people/outgoing-mail.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { Db } from '../../../foundation/db/database.ts'
import { atSchool, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { AddressRefused, type Mail, type Mailer } from '../../../foundation/mail/mailer.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { mailPage } from './mail-page.tsx'

/**
 * Mails that a process sends at once, in all and of one school: a school with many must not hold up
 * the others.
 */
const AT_ONCE = 8
const OF_ONE_SCHOOL = 2
/** Of notifications: an announcement to many must not take all day. */
const NEWS_OF_ONE_SCHOOL = 6
/** How often a listening server looks for mails that failed, or that a dead process left. */
const LOOK_SECONDS = 60
/** How often it looks for notifications that are due. */
const NEWS_SECONDS = 10
const CLOSING_MS = 3000

type MailKinds = ReadonlyMap<string, MailKind<never>>

/** They have a queue of their own: many of them do not hold up mails about accounts. */
const NEWS: MailKinds = new Map([[newsMail.kind, newsMail as unknown as MailKind<never>]])

interface SenderSettings {
  readonly kinds: MailKinds
  readonly ofOneSchool?: number
  /** Called before each look: queues what is due. */
  readonly prepare?: () => Promise<unknown>
  readonly onOutcome?: (db: SchoolDb, outcome: 'sent' | 'refused') => Promise<void>
}

/** Sends queued mails. A mail that fails is tried again until it is too old. */
export class MailSender {
  readonly #settings: SenderSettings
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

  constructor(
    context: AppContext,
    mailer: Mailer,
    log: FastifyBaseLogger,
    settings: SenderSettings = { kinds: MAILS },
  ) {
    this.#settings = settings
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
    const { kinds, prepare } = this.#settings
    try {
      if (this.#isWoken) await prepare?.()
      while (this.#isWoken && !this.#isClosing && this.#sending.size < AT_ONCE) {
        this.#isWoken = false
        const busy = this.#busySchools()
        // Before the look: a mail that is sent during it makes a school free that the look leaves
        // out.
        this.#hasLeftOut = busy.length > 0
        const mail = await takeMail(this.#db, [...kinds.keys()], busy)
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
    const { ofOneSchool = OF_ONE_SCHOOL } = this.#settings
    const mails = new Map<string, number>()
    for (const school of this.#sending.values()) mails.set(school, (mails.get(school) ?? 0) + 1)
    return [...mails].flatMap(([school, many]) => (many >= ofOneSchool ? school : []))
  }

  async #send(queued: QueuedMail): Promise<void> {
    const { kind, schoolId, attempts } = queued
    const db = atSchool(this.#db, schoolId)
    const { kinds, onOutcome } = this.#settings
    const mail = kinds.get(kind)
    if (mail === undefined) throw new Error(`there is no mail ${kind}`)
    try {
      const decided = await decideMail(db, this.#keyring, mail, queued)
      if (typeof decided === 'object' && 'kind' in decided) {
        return await postponeMails(db, queued, decided.seconds)
      }
      if (decided === 'school_limit') {
        this.#log.warn({ schoolId }, 'A school sent too many mails in an hour. One was dropped.')
      } else if (decided !== 'none') await this.#mailer.send(writeMail(decided, queued.id))
      await dropMail(db, queued.id)
      if (typeof decided === 'object') await onOutcome?.(db, 'sent')
    } catch (error) {
      if (error instanceof AddressRefused) return await this.#refused(db, queued, error)
      this.#log.error({ err: error, kind, schoolId, attempts }, 'An email could not be sent.')
    }
  }

  /** To try again would be for nothing. */
  async #refused(db: SchoolDb, { id, kind, schoolId }: QueuedMail, error: Error): Promise<void> {
    this.#log.warn(
      { err: error.cause, kind, schoolId },
      'The mail server refused the address of an email. It was dropped.',
    )
    try {
      await dropMail(db, id)
      await this.#settings.onOutcome?.(db, 'refused')
    } catch (cause) {
      this.#log.error({ err: cause, kind, schoolId }, 'A refused email could not be dropped.')
    }
  }
}

/** Sends notifications. */
export function newsSender(
  context: AppContext,
  mailer: Mailer,
  log: FastifyBaseLogger,
): MailSender {
  const prepare = async () => {
    while (await queueNews(context.db, context.limits.newsMailsPerDay));
  }
  const ofOneSchool = NEWS_OF_ONE_SCHOOL
  const settings = { kinds: NEWS, ofOneSchool, prepare, onOutcome: countNews }
  return new MailSender(context, mailer, log, settings)
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
  if (mailer === undefined) {
    dropNewsWhileListening(app, context)
    return
  }
  const sender = new MailSender(context, mailer, app.log)
  const news = newsSender(context, mailer, app.log)
  const timers: NodeJS.Timeout[] = []
  app.addHook('onListen', async () => {
    timers.push(setInterval(() => sender.wake(), LOOK_SECONDS * 1000).unref())
    timers.push(setInterval(() => news.wake(), NEWS_SECONDS * 1000).unref())
    sender.wake()
    news.wake()
  })
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer)
    await Promise.all([sender.close(), news.close()])
  })
  app.addHook('onResponse', async (request) => {
    if (request.queuedMail) sender.wake()
  })
}

/** A mail server that is set up later must not send old news. */
function dropNewsWhileListening(app: FastifyInstance, { db }: AppContext): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    const drop = () =>
      dropNews(db).catch((error: unknown) => app.log.warn({ err: error }, 'old news are still due'))
    timer = setInterval(drop, LOOK_SECONDS * 1000).unref()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

/** The name of a person becomes one line of plain text, so it cannot add lines to the email. */
function writeMail({ to, name: givenName, school, words }: DecidedMail, id: string): Mail {
  const { subject, blocks, unsubscribe } = words
  const name = plainText(givenName ?? '')
  const greeting = name === '' ? 'Hello,' : `Hello ${name},`
  return {
    to,
    subject,
    text: `${[greeting, ...blocks.map(asText)].join('\n\n')}\n`,
    html: mailPage({ subject, greeting, blocks, school }),
    ...{ id, unsubscribe },
  }
}

function asText(block: MailBlock): string {
  if (block.kind === 'paragraph' || block.kind === 'heading') return block.text
  if (block.kind === 'button') return `${block.label}:\n${block.url}`
  return block.links.map(({ label, url }) => `${label}: ${url}`).join('\n')
}
