import { readFileSync } from 'node:fs'
import { parse } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ComponentChildren } from 'preact'
import { EXPLORER_CLIENT_ID, type ExplorerState } from '../../../domain/clients/explorer-client.ts'
import type { School } from '../../../domain/schools/school.ts'
import { once } from '../../../foundation/cache/lru-cache.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { assetUrl } from '../../../foundation/html/assets.ts'
import { renderPage } from '../../../foundation/html/layout.tsx'
import { PACKAGE_FOLDER } from '../../../foundation/package-folder.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { themeVersion } from '../../../gate/branding.ts'

const REASONS: Readonly<Record<Exclude<ExplorerState, 'on'>, string>> = {
  beta_off:
    'It is part of the beta feature “MCP connections”. An owner or admin of the school switches it on under Admin, Settings.',
  switched_off:
    'The school switched it off. An owner or admin switches it on again under Admin, Developers, OAuth applications.',
}

/** The page without GraphiQL and without script. */
export function explorerOffPage(
  school: School,
  state: Exclude<ExplorerState, 'on'>,
  { styles }: ExplorerAssets,
): string {
  return renderPage(
    <Frame school={school} title="The explorer is off" styles={styles}>
      <Bar school={school} />
      <main>
        <section class="welcome">
          <h2>The explorer is off at this school</h2>
          <p>{REASONS[state]}</p>
          <p>
            The Member API itself works: <a href="/docs">the guide</a> shows how to call it.
          </p>
        </section>
      </main>
    </Frame>,
  )
}

/** The script reads its settings from the attributes of `explorer`. */
export function explorerPage(
  school: School,
  redirectUri: string,
  { scripts, styles }: ExplorerAssets,
): string {
  return renderPage(
    <Frame school={school} title="Member API explorer" styles={styles} scripts={scripts}>
      <Bar school={school}>
        <button type="button" id="sign-out" hidden>
          Sign out
        </button>
      </Bar>
      <main
        id="explorer"
        data-origin={school.origin}
        data-client-id={EXPLORER_CLIENT_ID}
        data-redirect-uri={redirectUri}
      >
        <p id="message" role="alert" hidden />
        <section class="welcome" id="welcome">
          <h2>Try the Member API with your own data</h2>
          <p>
            You sign in like with any other app: the explorer is a public OAuth client of this
            school and gets a token of yours, which it keeps until you sign out or close this tab.
          </p>
          <p>
            <button type="button" class="primary" id="sign-in">
              Sign in and explore
            </button>
            <button type="button" id="sign-in-read">
              Sign in to read only
            </button>
          </p>
          <noscript>
            <p>The explorer needs JavaScript.</p>
          </noscript>
        </section>
        <div id="graphiql" />
      </main>
    </Frame>,
  )
}

interface FrameProps {
  school: School
  title: string
  styles: readonly ExplorerAsset[]
  scripts?: readonly ExplorerAsset[]
  children: ComponentChildren
}

function Frame({ school, title, styles, scripts = [], children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${plainText(school.name)}`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('mark.svg')} />
        {styles.map(({ path }) => (
          <link rel="stylesheet" href={path} />
        ))}
        <link rel="stylesheet" href={`/theme.${themeVersion(school)}.css`} />
        {scripts.map(({ path }) => (
          <script src={path} defer />
        ))}
      </head>
      <body>{children}</body>
    </html>
  )
}

function Bar({ school, children }: { school: School; children?: ComponentChildren }) {
  return (
    <header class="bar">
      <h1>Member API explorer</h1>
      <p>{plainText(school.name)}</p>
      <nav aria-label="Leave the explorer">
        <a href="/docs">Guide</a>
        <a href="/">Home page</a>
      </nav>
      {children}
    </header>
  )
}

const compress = promisify(gzip)

export interface ExplorerAsset {
  /** Contains a hash of the content, so caches keep it for ever. */
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
  /** Compressed at the first request: GraphiQL is five times as large without. */
  readonly compressed: () => Promise<Buffer>
}

interface ExplorerAssets {
  readonly scripts: readonly ExplorerAsset[]
  readonly styles: readonly ExplorerAsset[]
}

const folder = new URL('assets/explorer/', PACKAGE_FOLDER)

/**
 * GraphiQL with its libraries, which the build copies into `vendor/`, and the page's own script.
 */
export const loadExplorerAssets = once(
  (): ExplorerAssets => ({
    scripts: [
      asset('vendor/react.production.min.js'),
      asset('vendor/react-dom.production.min.js'),
      asset('vendor/graphiql.min.js'),
      asset('explorer.js'),
    ],
    styles: [asset('vendor/graphiql.min.css'), asset('explorer.css')],
  }),
)

function asset(file: string): ExplorerAsset {
  const body = readFileSync(new URL(file, folder))
  const { name: stem, ext } = parse(file)
  const extension = ext.slice(1)
  let compressed: Promise<Buffer> | undefined
  return {
    path: `/member/explorer/${stem}.${sha256(body).toString('hex').slice(0, 12)}.${extension}`,
    contentType: extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
    body,
    compressed: () => {
      compressed ??= compress(body)
      return compressed
    },
  }
}
