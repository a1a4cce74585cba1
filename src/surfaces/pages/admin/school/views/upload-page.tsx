import { Alert, Button, FormToken, Name } from '../../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { sizeInWords } from '../../../views/size.ts'
import type { Link, Upload } from '../resource.ts'

export interface CurrentFile {
  readonly name: string
  readonly sizeBytes: number
  readonly url: string
}

interface UploadPageProps extends AdminFrame {
  readonly upload: Upload
  readonly path: string
  readonly back: Link
  readonly problem: string | undefined
  readonly maxBytes: number
  readonly current: CurrentFile | undefined
}

export function uploadPage(props: UploadPageProps): string {
  const { upload, path, back, problem, current } = props
  const token = <FormToken value={props.viewer?.formToken ?? ''} />
  return adminPage({
    ...props,
    title: problem === undefined ? upload.title : `Error: ${upload.title}`,
    children: (
      <>
        <PageHead title={upload.title} up={back} />
        <section class="panel" aria-label={upload.title}>
          {problem !== undefined && <Alert tone="error" title={problem} />}
          {current !== undefined && <FileLine file={current} />}
          <form method="post" action={path} encType="multipart/form-data" class="wide-form">
            {token}
            <div class="field">
              <label for="file">
                {current === undefined ? 'Choose a file' : 'Choose another file'}
              </label>
              <p id="file-hint" class="field-hint">
                {`${upload.hint} At most ${sizeInWords(props.maxBytes)}.`}
              </p>
              <input
                id="file"
                type="file"
                name="file"
                accept={upload.accept}
                aria-describedby="file-hint"
              />
            </div>
            <div class="actions">
              <Button look="primary">Upload</Button>
              <ButtonLink look="plain" href={back.url}>
                Cancel
              </ButtonLink>
            </div>
          </form>
          {current !== undefined && (
            <form method="post" action={path} encType="multipart/form-data">
              {token}
              <Button look="danger" name="remove" value="yes">
                Remove this file
              </Button>
            </form>
          )}
        </section>
      </>
    ),
  })
}

export function FileLine({ file }: { file: CurrentFile }) {
  return (
    <p>
      <a href={file.url}>
        <Name text={file.name} fallback="File" />
      </a>
      <span class="row-note">{` ${sizeInWords(file.sizeBytes)}`}</span>
    </p>
  )
}
