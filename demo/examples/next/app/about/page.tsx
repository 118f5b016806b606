export default function About() {
  return (
    <>
      <h1>About us</h1>
      <p>We have built lamps in Graz since 1987.</p>
    </>
  );
}
