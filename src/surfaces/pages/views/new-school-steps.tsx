/** What the owner of a new school does next. */
export function NewSchoolSteps() {
  return (
    <>
      <p>Then, in the admin area:</p>
      <ol>
        <li>Under Signing keys make a key, so that apps learn who signed in.</li>
        <li>
          In Settings switch on MCP connections, and under OAuth applications make the first app.
        </li>
        <li>Add people and courses.</li>
      </ol>
    </>
  )
}
