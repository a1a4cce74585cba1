// Comments name their subject and fit into 100 columns, like the code. Part of npm run check.
// A quoted word is a name, such as that of the Unix account `nobody`.
import { spawnSync } from 'node:child_process'

const COMMENT = String.raw`(^|\s)(//|/\*+|\*|--)\s`
const RULES = [
  {
    told: 'Comments that leave it to the reader who is meant:',
    pattern: String.raw`${COMMENT}[^'"${'`'}]*(?i:\b(nobody|somebody|whoever)\b)`,
    files: ['*.ts', '*.tsx', '*.mjs', '*.js', '*.css', '*.sql', ':!*/released/*'],
  },
  {
    told: 'Comments that mean nothing without the one above:',
    pattern: String.raw`(//|/\*+|^\s*\*) The same\b`,
    files: ['src/*.ts', 'src/*.tsx'],
  },
  {
    told: 'Comments of more than 100 columns:',
    pattern: String.raw`^(?!.*biome-ignore)(?=.{101})\s*(//|/\*+|\*)\s`,
    files: ['*.ts', '*.tsx', '*.mjs', ':!*.generated.ts', ':!clients/'],
  },
]

for (const { told, pattern, files } of RULES) {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['grep', '--untracked', '--line-number', '--perl-regexp', pattern, '--', ...files],
    { encoding: 'utf8' },
  )
  // git grep ends with 1 if it finds nothing.
  if (status === 1) continue
  console.error(status === 0 ? `${told}\n${stdout}` : stderr)
  process.exitCode = 1
}
