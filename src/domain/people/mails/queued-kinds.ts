import { z } from 'zod'
import { changeFacts } from '../email-change/change-facts.ts'
import { OPERATOR_ROLES } from '../membership.ts'
import { signUpFacts } from '../sign-up/sign-up-facts.ts'

interface QueuedKind {
  /**
   * What the mail says besides what the tables say when it is sent. Never a secret: a link is made when its mail is
   * sent, so that only its hash is stored.
   */
  readonly facts: z.ZodType<object>
  /** A mail that comes later than this would be no help. */
  readonly keepMinutes: number
}

const nothing = z.strictObject({})
const HOUR = 60
const deleted = z.strictObject({ part: z.enum(['school', 'account']) })

/** Changes of an account that a person is told about (`notices.ts`). */
const NOTICED_CHANGES = [
  'new_browser',
  'app_connected',
  'passkey_added',
  'passkey_removed',
  'factor_added',
  'factor_removed',
  'factor_reset',
  'recovery_code_used',
  'recovery_codes_replaced',
  'factors_lost',
  'factors_removed',
  'factors_kept',
] as const
export type NoticedChange = (typeof NOTICED_CHANGES)[number]

/** What the address before a change is told about, while it can undo the change. */
const NEWS = [
  ...NOTICED_CHANGES,
  'password_changed',
  'everything_ended',
  'deletion_requested',
] as const
export type AccountNews = (typeof NEWS)[number]

/**
 * Every kind of mail that can be queued. A new one also needs a rule (`mail-rules.ts`), and words for what the rule
 * decides (`surfaces/pages/mails/notice-mails.ts`).
 */
export const QUEUED_KINDS = {
  forgotten_password: { facts: nothing, keepMinutes: HOUR },
  password_changed: { facts: nothing, keepMinutes: HOUR },
  first_password: { facts: nothing, keepMinutes: HOUR },
  account_notice: {
    facts: z.strictObject({
      what: z.enum(NOTICED_CHANGES),
      device: z.string(),
      app: z.string().optional(),
      /** Whether it happened at the school that sends the mail; else `place` is where. */
      isHere: z.boolean(),
      place: z.uuid().optional(),
      /** When the server will do it unless the person stops it. */
      until: z.iso.datetime({ offset: true }).optional(),
    }),
    keepMinutes: 24 * HOUR,
  },
  operators_changed: {
    facts: z.strictObject({
      /** Who did it; null on the command line. */
      by: z.uuid().nullable(),
      people: z.array(
        z.strictObject({
          id: z.uuid(),
          given: z.array(z.enum(OPERATOR_ROLES)),
          taken: z.array(z.enum(OPERATOR_ROLES)),
        }),
      ),
      /** How many further people an import changed. */
      more: z.int(),
    }),
    keepMinutes: 24 * HOUR,
  },
  everything_ended: { facts: nothing, keepMinutes: 24 * HOUR },
  deletion_requested: {
    facts: deleted.extend({ due_at: z.iso.datetime(), place: z.uuid().optional() }),
    keepMinutes: 24 * HOUR,
  },
  deleted: { facts: deleted, keepMinutes: 24 * HOUR },
  sign_up: { facts: signUpFacts, keepMinutes: HOUR },
  // Of a large import some wait for days: a school sends a limited number in an hour.
  invitation: { facts: nothing, keepMinutes: 14 * 24 * HOUR },
  email_change_old: { facts: changeFacts, keepMinutes: 12 * HOUR },
  email_change_new: { facts: changeFacts, keepMinutes: 12 * HOUR },
  email_changed: {
    facts: changeFacts.extend({ news: z.enum(NEWS).optional() }),
    keepMinutes: 48 * HOUR,
  },
  email_set: { facts: nothing, keepMinutes: 48 * HOUR },
} as const satisfies Readonly<Record<string, QueuedKind>>

export type MailKind = keyof typeof QUEUED_KINDS
export type FactsOf<K extends MailKind> = z.output<(typeof QUEUED_KINDS)[K]['facts']>

export const MAIL_KINDS = Object.keys(QUEUED_KINDS) as readonly MailKind[]
