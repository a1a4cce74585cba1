import { sql } from 'kysely'
import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { plainText, visibleLines } from '../../foundation/text/plain-text.ts'
import { defineMail, HOUR } from '../people/mails/define-mail.ts'
import { links, type MailBlock, paragraph, schoolUrl } from '../people/mails/mail-words.ts'
import { type StoredMessage, sayMessage, TOPICS, type Topic } from './causes.ts'

/** Notifications of one topic that go to one member in one mail. */
const newsFacts = z.strictObject({
  user: z.uuid(),
  topic: z.enum(TOPICS),
  ids: z.array(z.uuid()),
})

export const NEWS_DAYS = 7
/** Of a grouped mail; the inbox has the rest. */
const MOST_ENTRIES = 20

interface NewsRow extends StoredMessage {
  readonly url: string | null
  /** Whether the member turned the mails off since it was queued. */
  readonly isOff: boolean
}

export const newsMail = defineMail({
  kind: 'news',
  facts: newsFacts,
  keepMinutes: NEWS_DAYS * 24 * HOUR,
  to: 'signed_in',
  async write({ db, keyring, school, facts: { user, topic, ids }, account }) {
    // The address belongs to another account by now.
    if (account.userId !== user) return 'none'
    const { rows } = await db.run(sql<NewsRow>`
      select n.kind, n.title, n.body, n.url, n.facts, ${school.timeZone} as "timeZone", exists (
        select from notification_subscriptions s
        where s.school_id = n.school_id and s.user_id = n.user_id and s.topic = ${topic}
          and s.channel = 'email' and not s.enabled) as "isOff"
      from notifications n
      where n.school_id = ${db.schoolId} and n.user_id = ${user} and n.id = any (${ids}::uuid[])
      order by n.created_at, n.id limit ${sql.lit(MOST_ENTRIES)}`)
    const [first] = rows
    if (first === undefined || first.isOff) return 'none'
    const unsubscribe = schoolUrl(school.origin, UNSUBSCRIBE_PATH, {
      link: sealUnsubscribe(keyring, db.schoolId, { user, topic }),
    })
    const entries = rows.map((row) => ({ ...sayMessage(row), url: row.url }))
    return {
      subject:
        entries.length === 1
          ? [school.name, plainText(entries[0]?.title ?? '')].filter(Boolean).join(': ')
          : `${school.name}: ${ids.length} messages`,
      blocks: [
        ...entries.flatMap((entry) => blocksOf(entry, school.origin)),
        links([
          { label: 'Your inbox', url: schoolUrl(school.origin, '/account/inbox') },
          { label: STOP[topic], url: unsubscribe },
        ]),
      ],
      unsubscribe,
    }
  },
})

/** On the link that ends the mails of a topic. */
const STOP: Readonly<Record<Topic, string>> = {
  announcements: 'No more emails with announcements',
  comments: 'No more emails about comments',
  courses: 'No more emails about courses',
  events: 'No more emails about events',
  meetings: 'No more emails about meetings',
  payments: 'No more emails about payments',
}

interface Entry {
  readonly title: string
  readonly body: string
  readonly url: string | null
}

/** Operators and apps wrote some of these words: each line is shown as it is, and adds none. */
function blocksOf({ title, body, url }: Entry, origin: string): MailBlock[] {
  const lines = visibleLines(body)
    .split(/\n{2,}/)
    .flatMap((text) => text.trim() || [])
  const page = url?.startsWith('/') ? schoolUrl(origin, url as `/${string}`) : undefined
  return [
    { kind: 'heading', text: plainText(title) },
    ...lines.map((text) => paragraph(text)),
    ...(page === undefined ? [] : [links([{ label: 'Open', url: page }])]),
  ]
}

export const UNSUBSCRIBE_PATH = '/unsubscribe'

const PURPOSE = 'unsubscribe'
/** The link stands in mails that people keep for years, and does nothing but turn mails off. */
const LIFETIME_MS = 10 * 365 * 24 * 60 * 60 * 1000

const unsubscribeSchema = z.object({ user: z.uuid(), topic: z.enum(TOPICS) })
export type Unsubscribing = z.output<typeof unsubscribeSchema>

function sealUnsubscribe(keyring: Keyring, schoolId: string, link: Unsubscribing): string {
  return sealMessage(keyring, PURPOSE, schoolId, link, Date.now() + LIFETIME_MS)
}

/** Undefined if the link is forged or of another school. */
export function openUnsubscribe(
  keyring: Keyring,
  schoolId: string,
  sealed: string,
): Unsubscribing | undefined {
  return unsubscribeSchema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now()))
    .data
}

export interface MailDay {
  readonly sent: number
  readonly refused: number
}

/** Counts a mail that was handed over, or that the mail server refused for its address. */
export async function countNews(db: SchoolDb, outcome: 'sent' | 'refused'): Promise<void> {
  const column = sql.ref(outcome)
  await db.run(sql`
    insert into mail_days as d (school_id, day, ${column})
    values (${db.schoolId}, (now() at time zone 'utc')::date, 1)
    on conflict (school_id, day) do update set ${column} = d.${column} + 1`)
}

/** Of the last week. */
export async function readMailDays(db: SchoolDb): Promise<MailDay> {
  const { rows } = await db.run(sql<MailDay>`
    select coalesce(sum(sent), 0)::int as sent, coalesce(sum(refused), 0)::int as refused
    from mail_days where school_id = ${db.schoolId} and day > (now() at time zone 'utc')::date - 7`)
  return rows[0] ?? { sent: 0, refused: 0 }
}
