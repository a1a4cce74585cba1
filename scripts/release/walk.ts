import { execFileSync } from 'node:child_process'
import { checklist } from './checklist.ts'

/**
 * What a machine cannot judge here, or takes an hour. In this order, after every check above is
 * fine.
 */
const BY_HAND = [
  'npm ci && npm run test:all',
  'npm run test:node -- 22 && npm run test:node -- 24',
  'npm run test:package',
  'npm run outages',
  'git tag --annotate vVERSION --message "Schoolgate VERSION" && git push origin vVERSION',
]

/** Prints the checklist; returns the exit code. */
export function walk(root: string, today: Date): number {
  const steps = checklist({ root, today, packed: packedFiles(root) })
  for (const { name, problem, remedy } of steps) {
    console.log(problem === undefined ? `[ ok ] ${name}` : `[FAIL] ${name}: ${problem}`)
    if (remedy !== undefined) console.log(`    → ${remedy}`)
  }
  const missing = steps.filter(({ problem }) => problem !== undefined).length
  if (missing > 0) {
    console.log(
      `\n${missing} of ${steps.length} steps are missing. Do them from top to bottom, and run this again.`,
    )
    return 1
  }
  console.log(`\nAll is ready. What is left:\n${BY_HAND.map((line) => `  ${line}`).join('\n')}`)
  return 0
}

function packedFiles(root: string): readonly string[] {
  const answer = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return filesOfPack(answer)
}

/** The answer of `npm pack --json`: a list, or from npm 12 on an object by package. */
export function filesOfPack(answer: string): readonly string[] {
  const parsed: unknown = JSON.parse(answer.slice(answer.search(/[[{]/)))
  const [packed] = Object.values(parsed as Record<string, { files: { path: string }[] }>)
  return (packed?.files ?? []).map(({ path }) => path)
}
