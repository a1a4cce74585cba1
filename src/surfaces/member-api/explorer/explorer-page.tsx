import { EXPLORER_CLIENT_ID, type ExplorerState } from '../../../domain/clients/explorer-client.ts'
import type { School } from '../../../domain/schools/school.ts'
import { assetUrl } from '../../../foundation/html/assets.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { renderPage } from '../../../foundation/html/render.tsx'
import type { ExplorerAssets } from './explorer-assets.ts'

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
  const name = plainText(school.name)
  return renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`The explorer is off · ${name}`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('mark.svg')} />
        {styles.map(({ path }) => (
          <link rel="stylesheet" href={path} />
        ))}
      </head>
      <body>
        <header class="bar">
          <h1>Member API explorer</h1>
          <p>{name}</p>
        </header>
        <main>
          <section class="welcome">
            <h2>The explorer is off at this school</h2>
            <p>{REASONS[state]}</p>
            <p>
              The Member API itself works: <a href="/docs">the guide</a> shows how to call it.
            </p>
          </section>
        </main>
      </body>
    </html>,
  )
}

/** The script reads its settings from the attributes of `explorer`. */
export function explorerPage(
  school: School,
  redirectUri: string,
  { scripts, styles }: ExplorerAssets,
): string {
  const name = plainText(school.name)
  return renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`Member API explorer · ${name}`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('mark.svg')} />
        {styles.map(({ path }) => (
          <link rel="stylesheet" href={path} />
        ))}
        {scripts.map(({ path }) => (
          <script src={path} defer />
        ))}
      </head>
      <body>
        <header class="bar">
          <h1>Member API explorer</h1>
          <p>{name}</p>
          <button type="button" id="sign-out" hidden>
            Sign out
          </button>
        </header>
        <main
          id="explorer"
          data-origin={school.origin}
          data-client-id={EXPLORER_CLIENT_ID}
          data-redirect-uri={redirectUri}
        >
          <section class="welcome" id="welcome">
            <h2>Try the Member API with your own data</h2>
            <p>
              You sign in like with any other app: the explorer is a public OAuth client of this
              school and gets a token of yours, which it keeps in this tab and nowhere else.
            </p>
            <p id="message" role="alert" hidden />
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
      </body>
    </html>,
  )
}
