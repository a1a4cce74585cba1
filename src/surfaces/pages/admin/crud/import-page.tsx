import { z } from 'zod'
import { CHECKED_ROWS } from '../../../../domain/catalogue/check-job.ts'
import {
  columnsFor,
  IMPORTED,
  joinedColumnsFor,
} from '../../../../domain/catalogue/transfer-operations.ts'
import { Alert, Button, Form, FormToken, Name } from '../../../../foundation/html/components.tsx'
import { FileField, Select } from '../../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { sizeInWords } from '../../frame/words.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { inWords } from './object-table.tsx'
import type { Link } from './resource.ts'

interface Job {
  readonly id: string
  readonly operation: string
  readonly state: string
  readonly result: unknown
}

const checked = z.looseObject({
  resource: z.enum(IMPORTED),
  rows: z.int(),
  failed: z.int(),
  complete: z.boolean(),
  /** Absent if the file cannot be read to its end. */
  file_rows: z.int().optional(),
  heading_problems: z
    .array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .optional(),
  is_used: z.boolean().optional(),
  invited: z.int().optional(),
  /** The columns of what the rows belong to, if they name no other. */
  within: z.array(z.string()).default([]),
  columns: z.array(z.object({ heading: z.string(), sample: z.string(), column: z.string() })),
})

/** What the check of a file found, while the file can still be imported. */
function checkedFile({ operation, state, result }: Job) {
  if (operation !== 'imports.check' || state !== 'done') return undefined
  const file = checked.safeParse(result).data
  return file === undefined || file.is_used === true ? undefined : file
}

interface CheckedProps {
  readonly job: Job
  /** Whether the person who sees it sent the file: only this person can go on with it. */
  readonly isMine: boolean
  readonly formToken: string
}

/** What would be imported, the button that does it, and the column of each heading. */
export function CheckedPanels({ job, isMine, formToken }: CheckedProps) {
  const file = checkedFile(job)
  if (file === undefined) return null
  if (!isMine) return <OfAnother file={file} />
  const { resource, rows, failed, columns, heading_problems, file_rows = 0 } = file
  const known = columnsFor(resource)
  const mayImport = heading_problems === undefined && (rows > failed || file_rows > rows)
  return (
    <>
      <Panel title="Nothing is written yet">
        {heading_problems === undefined && <p>{summaryOf(file)}</p>}
        {mayImport && file.within.length > 0 && <p>{belongingInWords(file.within)}</p>}
        {mayImport && <Invited file={file} />}
        {mayImport && (
          <Form action={`/admin/jobs/${job.id}/import`} formToken={formToken} class="actions">
            <Button look="primary">{buttonWords(file)}</Button>
          </Form>
        )}
        {!mayImport && <Alert tone="warning" title="There is no row to import" />}
      </Panel>
      <Panel
        title="Columns"
        lead={`Choose what each heading of your file means. The choice is kept for the next file.${joinedInWords(resource)}`}
      >
        {heading_problems?.map((problem) => (
          <Alert tone="error" title={headingProblem(problem)} />
        ))}
        <Form action={`/admin/jobs/${job.id}/columns`} formToken={formToken} class="wide-form">
          {columns.map(({ heading, sample, column }, place) => (
            <div class="field">
              <input type="hidden" name="heading" value={heading} />
              <label for={`column-${place}`}>
                <Name text={heading} fallback="Unnamed" />
              </label>
              {sample !== '' && (
                <p class="field-hint" id={`column-${place}-hint`}>
                  For example <Name text={sample} fallback="" />
                </p>
              )}
              <select
                id={`column-${place}`}
                name="column"
                aria-describedby={sample === '' ? undefined : `column-${place}-hint`}
              >
                <option value="" selected={column === ''}>
                  Do not import
                </option>
                {known.map((name) => (
                  <option value={name} selected={name === column}>
                    {inWords(name)}
                  </option>
                ))}
              </select>
            </div>
          ))}
          <div class="actions">
            <Button look="plain">Check again</Button>
          </div>
        </Form>
      </Panel>
    </>
  )
}

function joinedInWords(resource: string): string {
  return joinedColumnsFor(resource)
    .map(
      (name) =>
        ` If your file has the ${name} in parts, choose “${inWords(name)}” for each of them: they are joined in the order of the file.`,
    )
    .join('')
}

function OfAnother({ file }: { file: File }) {
  return (
    <Panel title="Nothing is written yet">
      {file.heading_problems === undefined && <p>{summaryOf(file)}</p>}
      <p>Only the person who sent this file can import it. To import it yourself, send it again.</p>
    </Panel>
  )
}

/** Mail that the import sends cannot be called back, so it is told before. */
function Invited({ file }: { file: File }) {
  const { invited } = file
  if (invited === undefined || (invited === 0 && isWhole(file))) return null
  const people = invited === 1 ? '1 person gets' : `${inNumbers(invited)} people get`
  return (
    <Alert tone="warning" title={`${people} an invitation by email when you import this`}>
      <p>
        {!isWhole(file) && 'Rows that were not checked may add more people. '}
        To import without invitations, turn them off under{' '}
        <a href={adminPaths.settings}>Settings</a> first.
      </p>
    </Alert>
  )
}

function headingProblem({
  pointer,
  code,
  detail,
}: {
  pointer: string
  code: string
  detail: string
}) {
  const column = inWords(pointer.slice(1))
  if (code !== 'repeated') return column === '' ? detail : `${column}: ${detail}`
  return `Two headings have the column “${column}”. Choose it for one of them.`
}

type File = z.output<typeof checked>

/**
 * A check ends after some rows, and after many that are refused: then the file has rows that it
 * does not know.
 */
function isWhole({ rows, complete, file_rows }: File): boolean {
  return rows === file_rows || (complete && rows < CHECKED_ROWS)
}

function summaryOf(file: File): string {
  const { rows, failed, file_rows } = file
  const all = file_rows === undefined ? rowsOf(rows) : `${inNumbers(rows)} of ${rowsOf(file_rows)}`
  const looked = isWhole(file)
    ? `The file has ${rowsOf(rows)}.`
    : `Only the first ${all} ${rows === 1 ? 'was' : 'were'} checked.`
  if (rows === 0) return looked
  if (failed === 0) return `${looked} All of them can be imported.`
  return `${looked} ${rowsOf(failed)} would be refused; the reasons are below.`
}

function buttonWords(file: File): string {
  const { rows, failed } = file
  if (!isWhole(file)) return 'Import the file'
  return failed === 0 ? `Import ${rowsOf(rows)}` : `Import the other ${rowsOf(rows - failed)}`
}

const rowsOf = (number: number): string => `${inNumbers(number)} ${number === 1 ? 'row' : 'rows'}`

const inNumbers = (number: number): string => number.toLocaleString('en')

interface ImportPageProps extends AdminFrame {
  readonly path: string
  readonly back: Link
  readonly problem: string | undefined
  readonly maxBytes: number
  /** What the rows can be. */
  readonly kinds: readonly string[]
  /** What they are, if the person came from such a list. */
  readonly kind: string
  /** The objects that the rows belong to, if the person came from the list of one. */
  readonly within: Readonly<Record<string, string>>
  /** Whether members and students whom the school adds get an email. */
  readonly invites: boolean
}

const TITLE = 'Import rows'

/** The fields come before the file, so that they are known when its bytes arrive. */
export function importPage(props: ImportPageProps): string {
  const { path, back, problem, kinds } = props
  const parents = Object.keys(props.within)
  return adminPage({
    ...props,
    title: problem === undefined ? TITLE : `Error: ${TITLE}`,
    children: (
      <>
        <PageHead
          title={TITLE}
          up={back}
          lead="The file is checked first. You see what would be imported, and each wrong row with its line, before anything is written."
        />
        <section class="panel" aria-label={TITLE}>
          {problem !== undefined && <Alert tone="error" title={problem} />}
          <form method="post" action={path} encType="multipart/form-data" class="wide-form">
            <FormToken value={props.viewer?.formToken ?? ''} />
            {parents.length === 0 ? (
              <Select
                name="resource"
                label="What the rows are"
                value={props.kind}
                options={kinds.map((name) => [name, kindInWords(name)])}
              />
            ) : (
              <>
                <input type="hidden" name="resource" value={props.kind} />
                <input type="hidden" name="within" value={JSON.stringify(props.within)} />
                <p>{`${kindInWords(props.kind)}. ${belongingInWords(parents)}`}</p>
              </>
            )}
            <FileField
              name="file"
              label="Choose a file"
              hint={`CSV with headings, as spreadsheets save it, or NDJSON with one object on each line. At most ${sizeInWords(props.maxBytes)}. The headings may be your own: you choose the column for each.`}
              accept=".csv,.ndjson,.jsonl"
            />
            {props.invites && (
              <p>
                Members and students who are new here get an invitation by email when you import
                them, not when the file is checked. You can turn invitations off under{' '}
                <a href={adminPaths.settings}>Settings</a>.
              </p>
            )}
            <div class="actions">
              <Button look="primary">Check the file</Button>
              <ButtonLink look="plain" href={back.url}>
                Cancel
              </ButtonLink>
            </div>
          </form>
        </section>
      </>
    ),
  })
}

/** Where rows go that do not say it themselves. */
function belongingInWords(parents: readonly string[]): string {
  const [parent = ''] = parents
  const words = inWords(parent.replace(/_id$/, '')).toLowerCase()
  return `A row that names no ${words} is for the ${words} that you came from.`
}

/** `membership-plans` as people write it: "Membership plans". */
export function kindInWords(name: string): string {
  return inWords(name.replaceAll('-', '_'))
}
