import type { MailBlock } from '../../../domain/people/mails/mail-words.ts'
import { renderPage } from '../../../foundation/html/layout.tsx'
import { buttonColors } from '../../../foundation/html/theme.ts'

interface MailPageProps {
  subject: string
  greeting: string
  blocks: readonly MailBlock[]
  school: { name: string; origin: string; primaryColor: string }
}

/*
 * Programs that show mails drop stylesheets and classes, so every style stands on its element. Text
 * and background have no colour of their own: a program with a dark look chooses both.
 */
const FONT = 'font-family:system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif'
const PARAGRAPH = 'margin:0 0 16px'
const SMALL = 'margin:0;font-size:13px;line-height:1.5'

export function mailPage({ subject, greeting, blocks, school }: MailPageProps): string {
  const { fill, words } = buttonColors(school.primaryColor)
  const paint = `background-color:${fill};color:${words}`
  return renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
      </head>
      <body style={`margin:0;padding:24px 16px;font-size:16px;line-height:1.5;${FONT}`}>
        <div style="max-width:560px;margin:0 auto">
          <p
            style={`margin:0 0 24px;padding:16px 0 0;border-top:4px solid ${fill};font-size:18px;font-weight:700`}
          >
            <bdi>{school.name}</bdi>
          </p>
          <p style={PARAGRAPH}>{greeting}</p>
          {blocks.map((block) => (
            <Block block={block} paint={paint} />
          ))}
          <p style={`${SMALL};padding-top:16px;border-top:1px solid #8888`}>
            Sent by <bdi>{school.name}</bdi>, <a href={school.origin}>{school.origin}</a>
          </p>
        </div>
      </body>
    </html>,
  )
}

function Block({ block, paint }: { block: MailBlock; paint: string }) {
  if (block.kind === 'paragraph')
    return <p style={`${PARAGRAPH};white-space:pre-line`}>{block.text}</p>
  if (block.kind === 'heading') {
    return (
      <h2 style="margin:0 0 8px;font-size:16px">
        <bdi>{block.text}</bdi>
      </h2>
    )
  }
  if (block.kind === 'links') {
    return (
      <ul style="margin:0 0 16px;padding-left:24px">
        {block.links.map(({ label, url }) => (
          <li>
            <bdi>{label}</bdi>: <a href={url}>{url}</a>
          </li>
        ))}
      </ul>
    )
  }
  return (
    <>
      <p style={PARAGRAPH}>
        <a
          href={block.url}
          style={`display:inline-block;padding:12px 20px;border-radius:8px;font-weight:600;text-decoration:none;${paint}`}
        >
          {block.label}
        </a>
      </p>
      <p style={`${SMALL};margin-bottom:16px;word-break:break-all`}>
        Or open this address: <a href={block.url}>{block.url}</a>
      </p>
    </>
  )
}
