/** Everything about the account itself. What a member has at the school is at `/account`. */
export const SETTINGS_PATH = '/account/settings'

/** The way up from a page of the settings. */
export const TO_SETTINGS = { url: SETTINGS_PATH, label: 'Account settings' }
