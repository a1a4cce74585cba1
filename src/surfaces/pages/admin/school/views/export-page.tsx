import { Alert, Button, Form } from '../../../../../foundation/html/components.tsx'
import { Select } from '../../../../../foundation/html/form-fields.tsx'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { ButtonLink, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import type { Link } from '../resource.ts'
import type { Row } from '../row.ts'
import { kindInWords } from './import-page.tsx'
import { inWords } from './words.ts'

interface ExportPageProps extends AdminFrame {
  readonly path: string
  readonly back: Link
  readonly resource: string
  /** The filters of the list. */
  readonly only: Row
  readonly problem?: string | undefined
}

/** Asks for the format of an export of what a list shows. */
export function exportPage(props: ExportPageProps): string {
  const { resource, only, back, problem } = props
  const title = `Export ${kindInWords(resource).toLowerCase()}`
  return adminPage({
    ...props,
    title: problem === undefined ? title : `Error: ${title}`,
    children: (
      <>
        <PageHead title={title} up={back} />
        <section class="panel" aria-label={title}>
          {problem !== undefined && <Alert tone="error" title={problem} />}
          <Narrowing only={only} />
          <Form
            class="wide-form"
            action={props.path}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ resource, only: JSON.stringify(only) }}
          >
            <Select
              name="format"
              label="Format"
              value="csv"
              options={[
                ['csv', 'CSV, for spreadsheets'],
                ['ndjson', 'NDJSON, for programs'],
              ]}
            />
            <div class="actions">
              <Button look="primary">Export</Button>
              <ButtonLink look="plain" href={back.url}>
                Cancel
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}

function Narrowing({ only }: { only: Row }) {
  const filters = Object.entries(only)
  if (filters.length === 0) return <p>The file will have every row of the list.</p>
  return (
    <>
      <p>The file will have the rows that your filters show:</p>
      <ul>
        {filters.map(([name, value]) => (
          <li>
            {`${inWords(name)}: `}
            <bdi>{plainText(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
          </li>
        ))}
      </ul>
    </>
  )
}
