import type { RecipePage } from './recipe-page.ts'
import type { Row } from './record.ts'

/** docs/clients.md from the results of `npm run clients`. */
export function clientsPage(rows: readonly Row[], recipes: readonly RecipePage[]): string {
  const cells = rows.map((row) => {
    const { name, version, date, logsIn, refreshes, lostAnswer, signsOut } = row
    const title = recipes.find((recipe) => recipe.name === name)?.title ?? name
    const client = `[${title}](recipes/${name}.md)`
    return `| ${[client, version, date, logsIn, refreshes, lostAnswer, signsOut].join(' | ')} |`
  })
  return `<!-- Written by npm run clients. Do not edit by hand. -->

# Clients of other authors

Each client below is installed as it is, without a patched function, and configured by its recipe in [recipes](recipes). \`npm run clients\`
starts the demo schools and takes every client through them: a member signs in and allows, the client calls, refreshes, loses the
answer of a refresh, and signs out. Columns:

- **Refreshes**: by itself, or by a call that your app makes.
- **Lost answer**: the answer to a refresh never arrives. The server accepts the same refresh token again; the question is whether
  the client sends it. At the next call: one call fails, and the next one refreshes. Unnoticed: no call fails.
- **Signs out**: how the refresh token ends. Afterwards it is refused.

| Client | Version | Tried | Logs in | Refreshes | Lost answer | Signs out |
| --- | --- | --- | --- | --- | --- | --- |
${cells.join('\n')}
`
}
