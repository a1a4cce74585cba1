/** Changes of an account that a person is told about (`notices.ts`). */
export const NOTICED_CHANGES = [
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
export const NEWS = [
  ...NOTICED_CHANGES,
  'password_changed',
  'everything_ended',
  'deletion_requested',
] as const
export type AccountNews = (typeof NEWS)[number]

interface NoticeWords {
  readonly subject: string
  readonly sentence: string
  /** The operator of the installation did it. */
  readonly isByOperator?: boolean
}

export const NOTICES: Readonly<Record<NoticedChange, NoticeWords>> = {
  new_browser: {
    subject: 'New sign-in to your account',
    sentence: 'Your account was used with a browser that is new.',
  },
  app_connected: {
    subject: 'An app was connected to your account',
    sentence:
      'An app was allowed to use your account for the first time. It keeps its access after a sign-out. “Connected apps” on the account pages of the school shows what it may do, and ends it.',
  },
  passkey_added: {
    subject: 'A passkey was added to your account',
    sentence: 'A passkey was added to your account. It signs in without your password.',
  },
  passkey_removed: {
    subject: 'A passkey of your account was removed',
    sentence: 'A passkey of your account was removed.',
  },
  factor_added: {
    subject: 'A second factor was added to your account',
    sentence: 'An authenticator app was added to your account. Its codes are asked for at sign-in.',
  },
  factor_removed: {
    subject: 'The second factor of your account was removed',
    sentence: 'Your account no longer asks for the code of an authenticator app.',
  },
  factor_reset: {
    subject: 'You no longer need a code to sign in',
    sentence:
      'The administrator of this server removed the authenticator app of your account, because they were told that you can no longer use it. Now your password alone signs you in. You can set up a new app in the settings of your account.',
    isByOperator: true,
  },
  recovery_code_used: {
    subject: 'A recovery code of your account was used',
    sentence: 'Someone signed in to your account with one of its recovery codes.',
  },
  recovery_codes_replaced: {
    subject: 'Your account has new recovery codes',
    sentence: 'New recovery codes were made for your account. The old ones no longer work.',
  },
  factors_lost: {
    subject: 'Your passkeys and your authenticator app will be removed',
    sentence:
      'Someone who gave the password of your account says that its passkeys or its authenticator app are lost. They will be removed, and then the password alone signs in. If you still have one of them, sign in with it, and nothing is removed.',
  },
  factors_kept: {
    subject: 'Your passkeys and your authenticator app stay',
    sentence:
      'The passkeys and the authenticator app of your account were reported as lost. They stay: one of them was used, or the report was taken back.',
  },
  factors_removed: {
    subject: 'Your passkeys and your authenticator app were removed',
    sentence:
      'The passkeys and the authenticator app of your account were removed, because nobody has used them since they were reported as lost.',
  },
}

/** What a mail to the address before a change says. */
export const NEWS_SENTENCES: Readonly<
  Record<AccountNews, Pick<NoticeWords, 'subject' | 'sentence'>>
> = {
  ...NOTICES,
  password_changed: {
    subject: 'The password of your account was changed',
    sentence: 'The password of your account was changed.',
  },
  everything_ended: {
    subject: 'Everything of your account has ended',
    sentence:
      'All browsers and apps of your account were signed out, and its password no longer works.',
  },
  deletion_requested: {
    subject: 'Your account will be deleted',
    sentence: 'Someone who is signed in to your account asked to delete it, at all your schools.',
  },
}
