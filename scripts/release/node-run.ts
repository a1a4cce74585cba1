/** What vitest's report in JSON says about a run. */
export interface TestRun {
  readonly numTotalTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly status: string }[]
}

const ROWS = /(?<=<!-- node-runs -->\n(?:\|.*\n){2})((?:\|.*\n)*)(?=<!-- \/node-runs -->)/

/** The guide with the line of this run; it replaces the line of the same major version. */
export function recordRun(guide: string, node: string, today: Date, run: TestRun): string {
  const line = `| ${node} | ${today.toISOString().slice(0, 10)} | ${resultOf(run)} |\n`
  const majorOf = (row: string): number => Number(/^\| (\d+)/.exec(row)?.[1])
  return guide.replace(ROWS, (rows) =>
    [...(rows.match(/.+\n/g) ?? []).filter((row) => majorOf(row) !== majorOf(line)), line]
      .sort((a, b) => majorOf(a) - majorOf(b))
      .join(''),
  )
}

function resultOf({ numTotalTests, numFailedTests, testResults }: TestRun): string {
  const number = (value: number): string => value.toLocaleString('en')
  const all = `${number(numTotalTests)} tests in ${number(testResults.length)} files`
  const failed = testResults.filter(({ status }) => status !== 'passed').length
  return failed === 0
    ? `${all}, all passed`
    : `${all}, failed tests: ${number(numFailedTests)}, failed files: ${number(failed)}`
}
