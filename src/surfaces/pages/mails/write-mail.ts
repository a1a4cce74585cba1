import type { ContentKind, DecidedMail, MailContent } from '../../../domain/people/mail-contents.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import type { Mail } from '../../../foundation/mail/mailer.ts'
import type { MailBlock } from './mail-blocks.ts'
import { mailPage } from './mail-page.tsx'
import { MAIL_WORDS } from './mail-words.ts'

type AnyWords = (
  content: MailContent,
  school: { name: string; origin: string; timeZone: string },
) => ReturnType<(typeof MAIL_WORDS)[ContentKind]>

/** People and schools choose their names: each becomes one line of plain text, so a name cannot add lines to the email. */
export function writeMail({ to, name: givenName, school, content }: DecidedMail): Mail {
  const { origin, primaryColor, timeZone } = school
  const schoolName = plainText(school.name) || 'your school'
  const words = MAIL_WORDS[content.kind] as AnyWords
  const { subject, blocks } = words(content, { name: schoolName, origin, timeZone })
  const name = plainText(givenName ?? '')
  const greeting = name === '' ? 'Hello,' : `Hello ${name},`
  return {
    to,
    subject,
    text: `${[greeting, ...blocks.map(asText)].join('\n\n')}\n`,
    html: mailPage({
      subject,
      greeting,
      blocks,
      school: { name: schoolName, origin, primaryColor },
    }),
  }
}

function asText(block: MailBlock): string {
  if (block.kind === 'paragraph') return block.text
  if (block.kind === 'button') return `${block.label}:\n${block.url}`
  return block.links.map(({ label, url }) => `${label}: ${url}`).join('\n')
}
