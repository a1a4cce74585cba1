import type { OPERATOR_ROLES } from '../membership.ts'
import type { AccountNews, FactsOf } from './queued-kinds.ts'

export type OperatorRole = (typeof OPERATOR_ROLES)[number]

export interface NamedSchool {
  readonly name: string
  readonly origin: string
}

/** What each mail says, as values; `surfaces/pages/mails` has the words. One queued kind can lead to several. */
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
  /** The address has an account; the schools are those where the person can ask for a new password. */
  sign_up_known: { readonly hasRoleHere: boolean; readonly schools: readonly NamedSchool[] }
  /** The school added the person. The link proves the mailbox; it sets a password only if there is none. */
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
