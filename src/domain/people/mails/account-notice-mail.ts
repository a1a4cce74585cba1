import { z } from 'zod'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { NOT_ME_DAYS } from '../account-recovery.ts'
import { NOT_ME_PATH } from '../link-paths.ts'
import { findNamedSchool } from '../mail-recipient.ts'
import { mintNotMeLink } from '../not-me-link.ts'
import { newBrowserCounter } from '../sign-in-counters.ts'
import { defineMail, HOUR } from './define-mail.ts'
import { button, dayInWords, paragraph, placeName, schoolUrl, whySender } from './mail-words.ts'
import { NOTICED_CHANGES, NOTICES } from './notice-words.ts'

/** The app chose its name: long enough to know it again, too short for a message to the person. */
const LONGEST_APP = 60

/** What a person is told so that a stranger is found out. `notices.ts` queues it. */
export const accountNoticeMail = defineMail({
  kind: 'account_notice',
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
  to: 'signed_in',
  /** Of new browsers a person is told a few times an hour; of other changes always. */
  limits: (key, { facts: { what }, account: { userId } }) =>
    what === 'new_browser'
      ? [{ limit: newBrowserCounter(key, userId), minutes: 60, above: 'none' }]
      : [],
  async write({ db, school, facts, account: { userId } }) {
    const token = await mintNotMeLink(db, userId)
    if (token === undefined) return 'none'
    const { what, device, app, until } = facts
    // A notice that the version before queued elsewhere does not say where.
    const where = facts.isHere ? db.schoolId : facts.place
    const place = where === undefined ? undefined : await findNamedSchool(db, where)
    const { subject, sentence, isByOperator } = NOTICES[what]
    const browser = plainText(device)
    const due = until === undefined ? undefined : dayInWords(new Date(until), school.timeZone)
    return {
      subject,
      blocks: [
        paragraph(
          sentence,
          ...(app === undefined ? [] : [`The app: “${plainText(app, LONGEST_APP)}”.`]),
          ...(browser === '' ? [] : [`The browser: ${browser}.`]),
          ...(due === undefined ? [] : [`The day: ${due}.`]),
          ...(isByOperator ? [] : [`It was at ${placeName(place)}.`, ...whySender(school, place)]),
        ),
        paragraph(
          `If ${isByOperator ? 'you asked for it' : 'that was you'}, there is nothing to do.`,
        ),
        paragraph(
          `If ${isByOperator ? 'you did not ask for it' : 'it was not you'}, end everything at once. The link works once, within ${NOT_ME_DAYS} days.`,
        ),
        button('It was not me', schoolUrl(school.origin, NOT_ME_PATH, { token })),
      ],
    }
  },
})
