import { ACCESS_SECTIONS } from './access-sections.ts'
import { COMMERCE_SECTIONS } from './commerce-sections.ts'
import { LEARNING_SECTIONS } from './learning-sections.ts'
import { PERSON_SECTIONS } from './person-sections.ts'
import type { Section } from './section.ts'

/** Everything that a school holds about a person, in the order of the file. */
export const SECTIONS: readonly Section[] = [
  ...PERSON_SECTIONS,
  ...LEARNING_SECTIONS,
  ...COMMERCE_SECTIONS,
  ...ACCESS_SECTIONS,
]

/** Tables with rows about people that are in no section, and why. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  authorization_codes: 'secrets that live for minutes; what was allowed with them is told',
  notice_links: 'secrets that live for days',
  passkey_handles: 'a random number that says nothing but which passkeys belong together',
  password_resets: 'secrets that live for an hour',
}
