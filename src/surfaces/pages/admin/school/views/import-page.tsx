import { Alert, Button, FormToken } from '../../../../../foundation/html/components.tsx'
import { Select } from '../../../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from '../../../views/admin/admin-page.tsx'
import { sizeInWords } from '../../../views/size.ts'
import type { Link } from '../resource.ts'
import { inWords } from './words.ts'

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
            <div class="field">
              <label for="file">Choose a file</label>
              <p id="file-hint" class="field-hint">
                {`CSV with headings, as spreadsheets save it, or NDJSON with one object on each line. At most ${sizeInWords(props.maxBytes)}. The headings may be your own: you choose the column for each.`}
              </p>
              <input
                id="file"
                type="file"
                name="file"
                accept=".csv,.ndjson,.jsonl"
                aria-describedby="file-hint"
              />
            </div>
            {props.invites && (
              <p>
                Members and students who are new here get an invitation by email when you import
                them, not when the file is checked. You can turn invitations off under{' '}
                <a href={paths.settings}>Settings</a>.
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
export function belongingInWords(parents: readonly string[]): string {
  const [parent = ''] = parents
  const words = inWords(parent.replace(/_id$/, '')).toLowerCase()
  return `A row that names no ${words} is for the ${words} that you came from.`
}

/** `membership-plans` as people write it: "Membership plans". */
export function kindInWords(name: string): string {
  return inWords(name.replaceAll('-', '_'))
}
