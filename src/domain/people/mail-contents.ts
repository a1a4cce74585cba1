import { z } from 'zod'
import { OPERATOR_ROLES } from '../actor/actor.ts'
import { id } from '../operation/fields.ts'

export type OperatorRole = (typeof OPERATOR_ROLES)[number]

export interface NamedSchool {
  readonly name: string
  readonly origin: string
}

/**
 * What each mail says, as values; `surfaces/pages/mails` has the words. One queued kind can lead to
 * several.
 */
export interface MailContents {
  reset_link: { readonly token: string }
  /** Where the person can ask for a link; none if they have signed in nowhere. */
  reset_elsewhere: { readonly schools: readonly NamedSchool[] }
  password_changed: object
  /** An account that a school made has become the person's. */
  first_password: object
  account_notice: Pick<FactsOf<'account_notice'>, 'what' | 'device' | 'app'> & {
    readonly token: string
    /** Undefined if that school is gone. */
    readonly place: NamedSchool | undefined
    readonly until: Date | undefined
  }
  operators_changed: {
    /** Absent on the command line. */
    readonly by: string | undefined
    readonly people: readonly {
      readonly name: string
      readonly given: readonly OperatorRole[]
      readonly taken: readonly OperatorRole[]
    }[]
    readonly more: number
  }
  everything_ended: { readonly token: string }
  deletion_requested: {
    readonly part: 'school' | 'account'
    readonly dueAt: Date
    readonly place: NamedSchool | undefined
  }
  deleted: { readonly part: 'school' | 'account' }
  email_change_old: { readonly link: string; readonly asked: NamedSchool | undefined }
  email_change_new: { readonly link: string; readonly asked: NamedSchool | undefined }
  /** A person wanted this address, which another account has. */
  email_taken: object
  email_changed: {
    readonly link: string
    readonly needsFactor: boolean
    readonly asked: NamedSchool | undefined
    /** What happened since, if this is not about the change itself. */
    readonly news: AccountNews | undefined
  }
  /** An account had this address until a few days ago, and can take it back. */
  address_kept: object
  /** By the operator of the installation. */
  email_set: object
  sign_up_link: { readonly link: string }
  /**
   * The address has an account; the schools are those where the person can ask for a new password.
   */
  sign_up_known: { readonly hasRoleHere: boolean; readonly schools: readonly NamedSchool[] }
  /**
   * The school added the person. The link proves the mailbox; it sets a password only if there is
   * none.
   */
  invitation: { readonly link: string; readonly hasCredential: boolean }
}

export type ContentKind = keyof MailContents

export type MailContent = {
  [K in ContentKind]: { readonly kind: K } & MailContents[K]
}[ContentKind]

/** A mail that may be sent. */
export interface DecidedMail {
  readonly to: string
  /** Absent where the school does not know it: the person has never signed in there. */
  readonly name: string | undefined
  readonly school: NamedSchool & { readonly primaryColor: string; readonly timeZone: string }
  readonly content: MailContent
}

/** The row of `email_changes` that a mail is about. */
const changeFacts = z.strictObject({ change: id })

/** What a person typed to sign up, besides the email, and where they continue afterwards. */
export const signUpFacts = z.strictObject({
  name: z.string(),
  /**
   * A digest of what proves the browser: only there the person continues, in any other one no app
   * waits.
   */
  browser: z.string(),
  /** The pending authorization of an app. */
  request: z.string().optional(),
  /** A page of ours. */
  return_to: z.string().optional(),
})

interface QueuedKind {
  /**
   * What the mail says besides what the tables say when it is sent. Never a secret: a link is made
   * when its mail is sent, so that only its hash is stored.
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
 * Every kind of mail that can be queued. A new one also needs a rule (`mail-rules.ts`), and words
 * for what the rule decides (`surfaces/pages/mails/notice-mails.ts`).
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
