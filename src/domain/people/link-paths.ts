/** Pages that links in mails lead to. */

export const NOT_ME_PATH = '/not-me'

export const INVITATION_PATH = '/invitation'

/** Everything about the account itself. What a member has at the school is at `/account`. */
export const SETTINGS_PATH = '/account/settings'
