/**
 * Parts of a mail. The text and the HTML are both made of them, so they say the same. Names in them went through
 * `plainText`: people and schools choose their names, and a name must not add lines to a mail.
 */
export type MailBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** The one thing that most readers of the mail do. */
  | { readonly kind: 'button'; readonly label: string; readonly url: SchoolUrl }
  | { readonly kind: 'links'; readonly links: readonly { label: string; url: SchoolUrl }[] }

export interface MailWords {
  readonly subject: string
  readonly blocks: readonly MailBlock[]
}

declare const ofSchool: unique symbol
/** An address at the stored origin of a school: a mail has no other links. */
export type SchoolUrl = string & { readonly [ofSchool]: true }

export function schoolUrl(
  origin: string,
  path: `/${string}`,
  query: Readonly<Record<string, string>> = {},
): SchoolUrl {
  const search = new URLSearchParams(query).toString()
  return `${origin}${path}${search === '' ? '' : `?${search}`}` as SchoolUrl
}

export const paragraph = (...sentences: readonly string[]): MailBlock => ({
  kind: 'paragraph',
  text: sentences.join(' '),
})

export const button = (label: string, url: SchoolUrl): MailBlock => ({ kind: 'button', label, url })

export const links = (
  all: readonly { readonly label: string; readonly url: SchoolUrl }[],
): MailBlock => ({ kind: 'links', links: all })
