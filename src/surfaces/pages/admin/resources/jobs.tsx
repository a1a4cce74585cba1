import { z } from 'zod'
import { EXPORTED, exportList } from '../../../../domain/catalogue/transfer-operations.ts'
import { cancelJob, listJobs, readJob } from '../../../../domain/jobs/job-operations.ts'
import { Alert } from '../../../../foundation/html/components.tsx'
import { Panel } from '../../../../foundation/html/site-components.tsx'
import { CheckedPanels, kindInWords } from '../crud/import-page.tsx'
import { listPlan } from '../crud/list-plan.ts'
import { inWords, moment, state, text } from '../crud/object-table.tsx'
import { defineResource } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'

type Job = OutputOf<typeof readJob>

const inNumbers = (count: number): string => count.toLocaleString('en')

const progress: Show<Job> = ({ state: now, done, total }) => {
  if (now !== 'waiting' && now !== 'running') return inNumbers(done)
  if (total === null) return done === 0 ? undefined : inNumbers(done)
  const words = `${inNumbers(done)} of ${inNumbers(total)}`
  return (
    <>
      <progress value={Math.min(done, total)} max={Math.max(total, 1)} aria-label="Progress" />{' '}
      {words}
    </>
  )
}

/** Counts and short texts; a list of refused rows has a panel of its own. */
const outcome: Show<Job> = ({ result }) => {
  const facts = Object.entries(result ?? {}).filter(
    ([name, value]) => typeof value === 'number' && name !== 'next_line',
  )
  if (facts.length === 0) return undefined
  return facts.map(([name, value]) => `${inWords(name)}: ${inNumbers(Number(value))}`).join(', ')
}

export const jobs = defineResource({
  path: 'jobs',
  empty: 'Imports, exports and changes to many rows are listed here while they run.',
  one: 'job',
  many: 'Background work',
  lead: 'Long work goes on here while you do other things. What is finished stays for a week.',
  list: listPlan({
    operation: listJobs,
    columns: [
      { label: 'What', show: text('title') },
      { label: 'State', show: state('state') },
      { label: 'Progress', show: progress },
      { label: 'Started', show: moment('created_at'), sort: 'created_at' },
    ],
    filters: [{ name: 'state', label: 'State' }],
    sorts: ['-created_at', 'created_at'],
  }),
  read: readJob,
  name: (job) => job.title,
  badges: state('state'),
  facts: [
    { label: 'Progress', show: progress },
    { label: 'Result', show: outcome, wide: true },
    { label: 'Problem', show: text('problem', 2000), wide: true },
    { label: 'Started', show: moment('created_at') },
    { label: 'Finished', show: moment('finished_at') },
    { label: 'Kept until', show: moment('expires_at') },
  ],
  fields: [
    {
      name: 'resource',
      label: 'What',
      choices: EXPORTED.map((name) => [name, kindInWords(name)] as const),
    },
    {
      name: 'format',
      label: 'Format',
      choices: [
        ['csv', 'CSV, for spreadsheets'],
        ['ndjson', 'NDJSON, for programs'],
      ],
    },
  ],
  create: exportList,
  createLabel: 'Export rows',
  listLinks: [{ url: '/admin/jobs/import', label: 'Import rows' }],
  actions: [
    {
      path: 'cancel',
      label: 'Cancel',
      does: cancelJob,
      question: 'Cancel this job?',
      consequence: 'It ends soon. What it has done until then stays.',
      consequenceOfMany: 'They end soon. What they have done until then stays.',
      done: 'The job ends after the step that it is at.',
      tone: 'danger',
      when: (job) => job.can_cancel,
    },
  ],
  links: (job, { viewerId }) => [
    ...(isOpen(job) ? [{ url: `/admin/jobs/${job.id}`, label: 'Look again', button: true }] : []),
    ...(job.file_url === null || job.started_by !== viewerId
      ? []
      : [{ url: `/admin/jobs/${job.id}/file`, label: fileWords(job), button: true }]),
  ],
  panels: async (job, { viewerId }, _ask, formToken) => (
    <>
      <CheckedPanels job={job} isMine={job.started_by === viewerId} formToken={formToken} />
      <EndedEarly job={job} />
      <RefusedRows {...refusedRows.safeParse(job.result).data} />
    </>
  ),
  isChanging: isOpen,
})

function fileWords({ operation }: Job): string {
  return operation.endsWith('.import') ? 'Download the refused rows' : 'Download'
}

function isOpen({ state: now }: Job): boolean {
  return now === 'waiting' || now === 'running'
}

const endedEarly = z.looseObject({
  dry_run: z.literal(false),
  complete: z.literal(false),
  next_line: z.int(),
})

/** An import that is done but did not reach the end of its file must not look as if it had. */
function EndedEarly({ job }: { job: Job }) {
  const ended = endedEarly.safeParse(job.result).data
  if (ended === undefined) return null
  return (
    <Alert tone="warning" title="The import ended before the end of the file">
      {`Rows from line ${inNumbers(ended.next_line)} on were not imported. Correct the file and import it again: rows that are already here are not added twice.`}
    </Alert>
  )
}

/** What an import refused. */
const refusedRows = z.looseObject({
  failed: z.int(),
  errors: z.array(z.object({ line: z.int(), errors: z.array(z.object({ detail: z.string() })) })),
})

const SHOWN_ROWS = 50

function RefusedRows({
  errors: rows = [],
  failed = 0,
}: Partial<Pick<z.output<typeof refusedRows>, 'errors' | 'failed'>>) {
  if (rows.length === 0) return null
  return (
    <Panel title="Refused rows">
      <ul>
        {rows.slice(0, SHOWN_ROWS).map(({ line, errors }) => (
          <li>{`Line ${inNumbers(line)}: ${errors.map(({ detail }) => detail).join(' ')}`}</li>
        ))}
      </ul>
      {failed > SHOWN_ROWS && <p>{`And ${inNumbers(failed - SHOWN_ROWS)} more.`}</p>}
      {failed > rows.length && (
        <p>{`The reasons of the first ${inNumbers(rows.length)} are kept. Correct these rows and import the file again to see those of the others.`}</p>
      )}
    </Panel>
  )
}
