import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { plainText } from '../text/plain-text.ts'
import { assetUrl } from './assets.ts'
import { Card, Name, Tile } from './components.tsx'

/** How the owner of an origin wants its pages to look. */
export interface Branding {
  name: string
  origin: string
  /** A picture of the same origin; the content security policy blocks others. */
  logoUrl?: string | undefined
  /** Changes with the colours, so that caches keep `/theme.<version>.css` for ever. */
  themeVersion: string
  /** What the school writes in, as a language tag; our own words are English. */
  language?: string | undefined
}

/** What a public page says of itself to search engines, and to what shows previews of links. */
export interface Listing {
  /** Of the page itself, without a query. */
  path: string
  /** If the title of the page says too little without the page. */
  title?: string | undefined
  description?: string | undefined
  /** The path of a public picture of the school; its logo if there is none. */
  imageUrl?: string | undefined
  /** A website, if absent. */
  type?: 'article' | 'website' | undefined
}

interface DocumentProps {
  /** Our own text; names in it went through `plainText`. */
  title: string
  /** Absent if no school has this origin: the page then shows our own brand. */
  school?: Branding | undefined
  /** Present if search engines may list the page, because it is public. */
  listed?: Listing | false | undefined
  /** Where the same text stands as Markdown. */
  markdown?: string | undefined
  /** Stylesheets of `assets/` in addition to the one of every page. */
  stylesheets?: readonly string[]
  /** A script of `assets/`, which the policy of the page must allow; the page works without it. */
  script?: string | undefined
  children: ComponentChildren
}

/** The HTML document around every page. */
export function Document(props: DocumentProps) {
  const { title, school, listed, markdown, stylesheets = [], script, children } = props
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{school ? `${title} · ${plainText(school.name)}` : title}</title>
        {listed && school ? (
          <ListingTags {...listed} title={listed.title ?? title} school={school} />
        ) : (
          <meta name="robots" content="noindex" />
        )}
        {markdown !== undefined && <link rel="alternate" type="text/markdown" href={markdown} />}
        <link rel="icon" type="image/svg+xml" href={assetUrl('mark.svg')} />
        <link rel="stylesheet" href={assetUrl('schoolgate.css')} />
        {stylesheets.map((name) => (
          <link rel="stylesheet" href={assetUrl(name)} />
        ))}
        {school && <link rel="stylesheet" href={`/theme.${school.themeVersion}.css`} />}
        {script !== undefined && <script src={assetUrl(script)} defer />}
      </head>
      <body>{children}</body>
    </html>
  )
}

/** @see https://ogp.me */
function ListingTags({ school, path, title, type = 'website', ...listed }: ListingTagsProps) {
  const url = school.origin + path
  const description = plainText(listed.description ?? '', DESCRIPTION_LENGTH)
  const imageUrl = listed.imageUrl ?? school.logoUrl
  const properties: [string, string][] = [
    ['title', plainText(title)],
    ['type', type],
    ['url', url],
    ['site_name', plainText(school.name)],
  ]
  if (description !== '') properties.push(['description', description])
  if (imageUrl !== undefined) properties.push(['image', school.origin + imageUrl])
  return (
    <>
      <link rel="canonical" href={url} />
      {description !== '' && <meta name="description" content={description} />}
      {properties.map(([name, content]) => (
        <meta property={`og:${name}`} content={content} />
      ))}
    </>
  )
}

/** Search engines show no more. */
const DESCRIPTION_LENGTH = 200

interface ListingTagsProps extends Listing {
  title: string
  school: Branding
}

type LayoutProps = Omit<DocumentProps, 'stylesheets' | 'listed' | 'markdown'>

/** One centred card, for pages that ask one thing. */
export function Layout({ title, school, script, children }: LayoutProps) {
  return (
    <Document title={title} school={school} script={script}>
      {school && <Masthead school={school} />}
      <main>{children}</main>
      <Footer branded={school !== undefined} />
    </Document>
  )
}

interface CardPageProps extends LayoutProps {
  /** The words above the card, if they are not the title. */
  heading?: ComponentChildren
  /** Whether it shows what was wrong with its form. */
  isWrong?: boolean | undefined
}

/** A page that is one card with a heading. */
export function CardPage({ title, heading = title, isWrong, children, ...rest }: CardPageProps) {
  return (
    <Layout {...rest} title={isWrong === true ? `Error: ${title}` : title}>
      <Card>
        <h1>{heading}</h1>
        {children}
      </Card>
    </Layout>
  )
}

function Masthead({ school }: { school: Branding }) {
  return (
    <header class="masthead">
      <SchoolMark school={school} />
    </header>
  )
}

/** The logo, or a tile in its place, with the name beside it. */
export function SchoolMark({ school }: { school: Branding }) {
  return (
    <>
      {school.logoUrl === undefined ? (
        <Tile name={school.name} tone="brand" />
      ) : (
        <img class="logo" src={school.logoUrl} alt="" height={36} />
      )}
      <Name text={school.name} fallback="School" />
    </>
  )
}

export function Footer({ branded }: { branded: boolean }) {
  return (
    <footer class="footer">
      {branded && (
        <nav aria-label="More">
          <a href="/">Home</a>
          <a href="/account/apps">Connected apps</a>
          <a href="/docs">For developers</a>
        </nav>
      )}
      <p class="maker">
        <img src={assetUrl('mark.svg')} alt="" width={16} height={16} />
        Schoolgate
      </p>
    </footer>
  )
}

export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}
