// Comments name their subject: the request, the client, the member, the school. Part of npm run check.
// A quoted word is a name, such as that of the Unix account `nobody`.
import { spawnSync } from 'node:child_process'

const VAGUE = String.raw`(^|\s)(//|/\*+|\*|--)\s[^'"${'`'}]*\b(nobody|somebody|whoever)\b`
const sources = ['*.ts', '*.tsx', '*.mjs', '*.js', '*.css', '*.sql', ':!*/released/*']
const { status, stdout, stderr } = spawnSync(
  'git',
  [
    'grep',
    '--untracked',
    '--line-number',
    '--ignore-case',
    '--perl-regexp',
    VAGUE,
    '--',
    ...sources,
  ],
  { encoding: 'utf8' },
)
// git grep ends with 1 if it finds nothing.
if (status === 0) console.error(`Comments that leave it to the reader who is meant:\n${stdout}`)
if (status !== 0 && status !== 1) console.error(stderr)
process.exitCode = status === 1 ? 0 : 1
