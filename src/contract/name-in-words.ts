/** The name of a function or a field as people read it: `add_to_cart` and `addToCart` are `Add to cart`. */
export function nameInWords(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[\s_-]+/)
    // Abbreviations stay as they are.
    .map((word) => (/^\p{Lu}{2}/u.test(word) ? word : word.toLowerCase()))
    .join(' ')
    .trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}
